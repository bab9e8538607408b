import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';
import { textOf } from './sse-client.ts';

const host = new HostProcess();
beforeAll(() => host.start());
afterAll(() => host.dispose());

const tools = ['get_weather', 'get_time'].map((name) => ({ name, description: name, parameters: { type: 'object' } }));

async function accept(text: string): Promise<string> {
  const messages = [{ id: randomUUID(), role: 'user', content: text }];
  const body = { threadId: randomUUID(), runId: randomUUID(), messages, tools };
  const answer = await host.request('POST', '/api/v1/agent/runs', { body });
  expect(answer.status).toBe(202);
  return String(answer.body.taskId);
}

interface AskedCall {
  tool_call_id: string;
  name: string;
}

/** The calls that the run waits for, from its events: they end with the AG-UI run, not with the task. */
async function pendingCalls(taskId: string): Promise<AskedCall[]> {
  for (;;) {
    const { body } = await host.request('GET', `/api/v1/agent/runs/${taskId}/records`);
    const records = (body.items ?? []) as { subtype: string; payload: { request?: { calls?: AskedCall[] } } }[];
    const asked = records.find(({ subtype }) => subtype === 'INTERACTION_OPENED');
    if (asked !== undefined) return asked.payload.request?.calls ?? [];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function send(taskId: string, results: object[]) {
  return host.request('POST', `/api/v1/agent/runs/${taskId}/tool-results`, { body: { results } });
}

describe('tools of the client', () => {
  test('two at once are asked for together, and the run says what came back', async () => {
    const taskId = await accept('/client-tool get_weather,get_time {"city":"Oslo"}');
    const calls = await pendingCalls(taskId);
    expect(calls.map(({ name }) => name).sort()).toEqual(['client.get_time', 'client.get_weather']);
    const [first] = calls;
    const half = await send(taskId, [{ toolCallId: first?.tool_call_id, content: 'x' }]);
    expect([half.status, half.body.message]).toEqual([422, expect.stringContaining('is missing')]);
    const results = calls.map(({ tool_call_id, name }) => ({ toolCallId: tool_call_id, content: `${name}!` }));
    expect((await send(taskId, results)).status).toBe(202);
    const said = textOf(await host.events(taskId));
    expect(said).toBe('get_weather says: client.get_weather!\nget_time says: client.get_time!');
    expect((await send(taskId, results)).status).toBe(409);
  });

  test('asked for before a kill, it is answered after the restart, and the client is not asked again', async () => {
    const taskId = await accept('/client-tool get_weather {"city":"Oslo"}');
    const [call] = await pendingCalls(taskId);
    await host.signal('SIGKILL');
    await host.start();
    expect((await send(taskId, [{ toolCallId: call?.tool_call_id, content: 'clear' }])).status).toBe(202);
    const events = await host.events(taskId);
    expect(textOf(events)).toBe('get_weather says: clear');
    expect(events.filter(({ event }) => event.type === 'TOOL_CALL_START')).toHaveLength(1);
  });

  /** A thread of an AG-UI client in which a run waits for what its tool gives. */
  async function waitingThread() {
    const threadId = randomUUID();
    const asks = { id: 'u1', role: 'user', content: '/client-tool get_weather {"city":"Oslo"}' };
    const post = (runId: string, messages: object[]) =>
      host.request('POST', '/api/v1/agent/agui', { body: { threadId, runId, messages, tools } });
    const asked = await post('r1', [asks]);
    return { asks, post, toolCallId: /"toolCallId":"([^"]+)"/.exec(String(asked.body.text))?.[1] };
  }

  test('what they give beside a message that is refused is not taken, and the run waits on', async () => {
    const { asks, post, toolCallId } = await waitingThread();
    const result = { id: 't1', role: 'tool', toolCallId, content: 'clear' };
    const source = { type: 'url', value: 'https://foreign.example/1.png', mimeType: 'image/png' };
    const refused = await post('r2', [asks, result, { id: 'u2', role: 'user', content: [{ type: 'image', source }] }]);
    expect([refused.status, refused.body.message]).toEqual([422, 'binary content url is not one of this host']);
    const taken = await post('r3', [asks, result]);
    expect(String(taken.body.text)).toContain('get_weather says: clear');
  });

  test('what they give may be as large as a run; more is 413, and the run waits on', async () => {
    const { asks, post, toolCallId } = await waitingThread();
    const given = (content: string) => [asks, { id: 't1', role: 'tool', toolCallId, content }];
    const refused = await post('r2', given('x'.repeat(262_144)));
    expect([refused.status, refused.body.message]).toEqual([413, 'RunAgentInput payload exceeds size limit']);
    const taken = await post('r2', given('clear'));
    expect(String(taken.body.text)).toContain('get_weather says: clear');
  });
});
