/** `npx tsx test/fakes/main.ts --port 4010`: the fake models as a process of their own. */

import { parseArgs } from 'node:util';
import { startModelServer } from './model-server.ts';

const { values } = parseArgs({
  options: { port: { type: 'string' }, key: { type: 'string' }, 'context-window': { type: 'string' } },
});
const server = await startModelServer({
  port: Number(values.port ?? 0),
  ...(values.key !== undefined && { api_key: values.key }),
  ...(values['context-window'] !== undefined && { context_window: Number(values['context-window']) }),
});
const { openai_url, anthropic_url, google_url } = server;
process.stdout.write(`${JSON.stringify({ openai_url, anthropic_url, google_url })}\n`);
