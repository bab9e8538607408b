import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { root } from '../tidy/repository.ts';
import { HostProcess } from './host-process.ts';

let models: ModelServer;
let host: HostProcess;

beforeAll(async () => {
  models = await startModelServer();
  host = new HostProcess({
    ROSTRA_CONFIG: path.join(root, 'examples/two-agents/rostra.yaml'),
    ROSTRA_DETECT: 'on',
    OPENAI_BASE_URL: models.openai_url,
    OPENAI_API_KEY: 'sk-of-nobody',
  });
  await host.start();
});

afterAll(async () => {
  await host.dispose();
  await models.close();
});

test('examples/two-agents: planner hands over to writer when a person agrees, and writer knows what was agreed', async () => {
  const threadId = randomUUID();
  const { body } = await host.request('GET', '/api/v1/agents');
  expect((body.items as { id: string }[]).map(({ id }) => id)).toEqual(['planner', 'writer', 'assistant']);
  const parameters = { agent_id: 'writer', reason: 'It is clear.', summary: 'An invitation, OMEGA-5, two lines.' };
  const script = `[[call: request_handover ${JSON.stringify(parameters)}]][[then]][[say: writer can go on.]]`;
  const task = await host.accept(`I need an invitation. ${script}`, { threadId });
  expect((await host.events(task)).at(-1)?.event.type).toBe('RUN_FINISHED');
  const tools = JSON.stringify(models.requests.find(({ path: at }) => at.endsWith('completions'))?.body.tools);
  expect(tools).toContain('"writer"');
  expect(tools).not.toContain('"fetch"');

  const open = await host.request('GET', `/api/v1/interactions?status=pending&sessionId=${threadId}`);
  const [asked] = open.body.items as { id: string; purpose: string }[];
  expect(asked?.purpose).toBe('handover');
  const answered = await host.request('POST', `/api/v1/interactions/${encodeURIComponent(asked?.id ?? '')}/answer`, {
    body: { actionId: 'confirm' },
  });
  expect(answered.status).toBe(200);
  await expect
    .poll(() => models.requests.some(({ body: told }) => /You write the text.*OMEGA-5/.test(JSON.stringify(told))))
    .toBe(true);
});
