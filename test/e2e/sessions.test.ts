import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess, type Reply } from './host-process.ts';
import { readFrames } from './sse-client.ts';

type Item = Record<string, unknown>;

const host = new HostProcess();
beforeAll(() => host.start());
afterAll(() => host.dispose());

const SESSIONS = '/api/v1/sessions';
const get = (path: string, headers: Record<string, string> = {}) => host.request('GET', path, { headers });
const items = ({ body }: Reply) => body.items as Item[];

function say(session: string, text: string, id: string = randomUUID()): Promise<Reply> {
  const body = { id, event: 'USER_INPUT', subtype: 'INPUT', payload: { input: { text } } };
  return host.request('POST', `${SESSIONS}/${session}/messages`, { body });
}

async function answered(session: string, text: string): Promise<string> {
  const { taskId } = (await say(session, text)).body;
  const ended = await get(`/api/v1/agent/runs/${taskId}/wait?timeout=20`);
  expect(ended.body).toMatchObject({ taskId, status: 'completed' });
  return String(taskId);
}

describe('a session from its beginning to its end', () => {
  let id: string;
  let task: string;

  test('is created with the agents that were chosen, and is open', async () => {
    const made = await host.request('POST', SESSIONS, { body: { agents: ['scout', 'guide'], activeAgentId: 'scout' } });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ state: 'OPEN', activeAgentId: 'scout', title: null, inflight: [] });
    id = String(made.body.id);
  });

  test('takes words, once for each id, and what is answered is in its transcript', async () => {
    task = await answered(id, '/stream 3');
    const name = randomUUID();
    const twice = [await say(id, '/stream 2', name), await say(id, '/stream 2', name)];
    expect(twice.map(({ body }) => body.outcome)).toEqual(['accepted', 'known']);
    expect(twice[1]?.body.taskId).toBe(twice[0]?.body.taskId);
    await get(`/api/v1/agent/runs/${twice[0]?.body.taskId}/wait?timeout=20`);
    const page = await get(`${SESSIONS}/${id}/transcript`);
    expect(items(page).map(({ role, agentId }) => [role, agentId])).toEqual([
      ['user', null],
      ['assistant', 'scout'],
      ['user', null],
      ['assistant', 'scout'],
    ]);
  });

  test('lists, finds, shows and numbers what was said, and the runs that said it', async () => {
    // The oldest is the one in which a new host greets.
    expect(items(await get(SESSIONS))).toMatchObject([
      { id, title: '/stream 3', runs: 2, liveRuns: 0 },
      { title: 'Welcome', runs: 1 },
    ]);
    const day = await get(`/api/v1/agent/history?threadId=${id}`, { 'x-timezone': 'Europe/Berlin' });
    expect(day.body).toMatchObject({ scope: 'history_day', threadId: id, hasMore: false });
    expect((day.body.messages as Item[]).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    const found = await get('/api/v1/search?q=chunk');
    expect(items(found)).toContainEqual(expect.objectContaining({ sessionId: id, agentId: 'scout' }));
    const runs = items(await get(`/api/v1/agent/runs?threadId=${id}`));
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed']);
    expect(runs[1]).toMatchObject({ taskId: task, agentId: 'scout', attempts: [{ attempt: 1, status: 'completed' }] });
  });

  test('is as it was after a restart, at any moment of its past, and can be followed from where it stands', async () => {
    await host.request('PATCH', `${SESSIONS}/${id}`, { body: { title: 'Counting' } });
    const before = (await get(`${SESSIONS}/${id}`)).body;
    expect(await host.signal('SIGTERM')).toBe(0);
    await host.start();
    const after = (await get(`${SESSIONS}/${id}`)).body;
    expect(after).toMatchObject({ title: 'Counting', activeAgentId: 'scout', lastSeq: before.lastSeq });
    const past = await get(`${SESSIONS}/${id}?asOf=${Number(before.lastSeq) - 1}`);
    expect(past.body).toMatchObject({ lastSeq: Number(before.lastSeq) - 1, lastEventId: null });
    const following = readFrames(
      `${host.url}${SESSIONS}/${id}/events`,
      { authorization: `Bearer ${host.key}`, 'last-event-id': String(after.lastEventId) },
      1,
    );
    await answered(id, '/stream 1');
    const [frame] = await following;
    expect(Number(frame?.id?.split('.')[0])).toBeGreaterThan(Number(before.lastSeq));
  });

  test('deleted, its live run and its streams end, and nothing of it is left but that it was', async () => {
    const { taskId } = (await say(id, '/slow 400 25')).body;
    const stream = host.events(String(taskId));
    await expect.poll(async () => (await get(`${SESSIONS}/${id}`)).body.speakingAgentId).toBe('scout');
    expect((await host.request('DELETE', `${SESSIONS}/${id}`)).status).toBe(204);
    expect((await stream).at(-1)?.event).toMatchObject({
      type: 'RUN_ERROR',
      code: 'cancelled',
      message: 'The session was deleted.',
      metadata: { taskId, retryable: false },
    });
    for (const path of [`${SESSIONS}/${id}`, `/api/v1/agent/runs/${taskId}`, `/api/v1/agent/history?threadId=${id}`]) {
      expect((await get(path)).status, path).toBe(404);
    }
    expect(items(await get(SESSIONS))).toMatchObject([{ title: 'Welcome' }]);
    expect(items(await get('/api/v1/search?q=chunk'))).toEqual([]);
    const again = await host.run('hello', { threadId: id });
    expect([again.status, again.body.message]).toEqual([409, 'this session was deleted']);
    expect((await say(id, 'hello')).status).toBe(409);
  });

  test('of two users neither sees or guesses the other’s', async () => {
    const keys: string[] = [];
    for (const name of ['ada', 'bob']) {
      const made = await host.request('POST', '/api/v1/keys', { body: { name, scopes: ['runs'] } });
      expect(made.status).toBe(201);
      keys.push(String(made.body.key));
    }
    const [ada = '', bob = ''] = keys;
    const as = (key: string) => ({ authorization: `Bearer ${key}` });
    const thread = String((await host.request('POST', SESSIONS, { headers: as(ada), body: {} })).body.id);
    const paths = (of: string) => [
      `${SESSIONS}/${of}`,
      `${SESSIONS}/${of}/transcript`,
      `${SESSIONS}/${of}/events`,
      `/api/v1/agent/history?threadId=${of}`,
      `/api/v1/agent/runs?threadId=${of}`,
      `/api/v1/search?q=x&sessionId=${of}`,
    ];
    const unknown = paths(randomUUID());
    for (const [index, path] of paths(thread).entries()) {
      const foreign = await get(path, as(bob));
      expect([path, foreign.status, foreign.body]).toEqual([
        path,
        404,
        (await get(unknown[index] ?? '', as(bob))).body,
      ]);
    }
    expect(items(await get(SESSIONS, as(bob)))).toEqual([]);
    expect(items(await get(SESSIONS, as(ada)))).toMatchObject([{ id: thread }]);
  });
});

describe('a session that is deleted while somebody waits for a run in it', () => {
  const wait = (taskId: string) => get(`/api/v1/agent/runs/${taskId}/wait?timeout=60`);
  const stop = (taskId: string) => host.request('POST', `/api/v1/agent/runs/${taskId}/cancel?wait=1`);

  test.each([
    ['to end', '/slow 100 200', wait],
    ['to be stopped', '/hang hard', stop],
  ])('ends the wait for it %s: there is no such run any more', async (_what, text, waitFor) => {
    const session = randomUUID();
    const taskId = await host.accept(text, { threadId: session });
    // It has begun: who has not stops at once.
    await host.events(taskId, { most: 1 });
    const waiting = waitFor(taskId);
    await get(`/api/v1/agent/runs/${taskId}`);
    expect((await host.request('DELETE', `${SESSIONS}/${session}`)).status).toBe(204);
    expect(await waiting).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});
