/** `npx tsx test/fakes/main.ts --port 4010`: the fake models as a process of their own. */

import { commandLine } from '../command-line.ts';
import { startModelServer } from './model-server.ts';

const { values, whole } = commandLine('fakes', 'Serves the fake models that the tests talk to, and prints where.', {
  port: { type: 'string', default: '0', about: 'where; any that is free with 0' },
  key: { type: 'string', about: 'what callers must bring' },
  'context-window': { type: 'string', about: 'how many tokens fit' },
});
const server = await startModelServer({
  port: whole('port'),
  ...(values.key !== undefined && { api_key: values.key }),
  ...(values['context-window'] !== undefined && { context_window: whole('context-window', 1) }),
});
const { openai_url, anthropic_url, google_url } = server;
process.stdout.write(`${JSON.stringify({ openai_url, anthropic_url, google_url })}\n`);
