import { randomUUID } from 'node:crypto';
import { operations } from '@rostra/protocol/run-api/operations';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HostProcess, type Reply, runInput } from './host-process.ts';
import { readFrames, textOf } from './sse-client.ts';

const RUNS = '/api/v1/agent/runs';
const host = new HostProcess();
/** Two users with keys of their own. */
const keys = { alice: '', bob: '' };
type User = keyof typeof keys;

/** What alice has. */
const hers = { threadId: randomUUID(), runId: randomUUID(), taskId: '', interactionId: '', attachmentId: '', url: '' };
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';

function as(user: User, method: string, path: string, body?: unknown): Promise<Reply> {
  const headers = { authorization: `Bearer ${keys[user]}` };
  return host.request(method, path, { headers, ...(body !== undefined && { body }) });
}

async function makeKey(userId: string): Promise<string> {
  const body = { name: userId, scopes: ['runs', 'interactions'], userId };
  const made = await host.request('POST', '/api/v1/keys', { body });
  expect(made.status).toBe(201);
  return String(made.body.key);
}

async function upload(user: User): Promise<{ id: string; url: string }> {
  const form = new FormData();
  form.append('file', new Blob([Buffer.from(PNG, 'base64')], { type: 'image/png' }), 'dot.png');
  const headers = { authorization: `Bearer ${keys[user]}` };
  const response = await fetch(`${host.url}/api/v1/agent/attachments`, { method: 'POST', headers, body: form });
  expect(response.status).toBe(201);
  return (await response.json()) as { id: string; url: string };
}

async function question(threadId: string): Promise<string> {
  for (;;) {
    const { body } = await as('alice', 'GET', `/api/v1/interactions?status=pending&sessionId=${threadId}`);
    const [item] = body.items as { id: string }[];
    if (item !== undefined) return item.id;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

beforeAll(async () => {
  await host.start();
  keys.alice = await makeKey('alice');
  keys.bob = await makeKey('bob');
  const said = await as('alice', 'POST', RUNS, runInput('My secret word is xylophone.', hers));
  hers.taskId = String(said.body.taskId);
  await host.events(hers.taskId);
  const asking = { threadId: hers.threadId, runId: randomUUID() };
  await as('alice', 'POST', RUNS, runInput('/ask', asking));
  hers.interactionId = await question(hers.threadId);
  const { id, url } = await upload('alice');
  Object.assign(hers, { attachmentId: id, url });
});
afterAll(() => host.dispose());

/** What stands in the place of each parameter: hers, or what nobody has. */
const own: Record<string, () => string> = {
  taskId: () => hers.taskId,
  sessionId: () => hers.threadId,
  threadId: () => hers.threadId,
  interactionId: () => hers.interactionId,
  id: () => hers.attachmentId,
};
const none: Record<string, () => string> = {
  taskId: () => `${randomUUID()}`,
  sessionId: () => randomUUID(),
  threadId: () => randomUUID(),
  interactionId: () => `${randomUUID()}.i1`,
  id: () => randomUUID(),
};

/** Bodies that the schemas take, so that only whose it is can be what is wrong. */
const bodies: Record<string, unknown> = {
  sendToolResults: { results: [{ toolCallId: 'c1', content: 'x' }] },
  renameSession: { title: 'mine now' },
  sendMessage: { id: 'm1', event: 'CONTROL', subtype: 'CANCEL', payload: {} },
  answerInteraction: { actionId: 'confirm' },
};

/** Every operation about something that belongs to somebody, and that needs a key of theirs. */
const doors = Object.values(operations).filter(
  ({ path, scope }) =>
    (scope === 'runs' || scope === 'interactions') && /\{(taskId|sessionId|threadId|interactionId|id)\}/.test(path),
);

function pathOf(path: string, values: Record<string, () => string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name]?.() ?? 'guide'));
}

/** Without what a refusal repeats of the request itself. */
function shown({ status, body }: Reply): unknown {
  return { status, body };
}

describe('what belongs to one user', () => {
  test.each(doors.map(({ id, method, path }) => [id, method, path] as const))(
    '%s looks to another one as if it were not there (cases 5, 82)',
    async (id, method, path) => {
      const foreign = await as('bob', method, pathOf(path, own), bodies[id]);
      const unknown = await as('bob', method, pathOf(path, none), bodies[id]);
      expect(shown(foreign)).toEqual(shown(unknown));
      expect(foreign.status).toBe(404);
      expect(foreign.body).toMatchObject({ code: 'not_found' });
    },
  );

  test('is hers: neither changed nor answered by what he tried', async () => {
    expect((await as('alice', 'GET', `${RUNS}/${hers.taskId}`)).body).toMatchObject({ status: 'completed' });
    const open = await as('alice', 'GET', `/api/v1/interactions/${encodeURIComponent(hers.interactionId)}`);
    expect(open.body).toMatchObject({ status: 'pending' });
    const session = await as('alice', 'GET', `/api/v1/sessions/${hers.threadId}`);
    expect(session.status).toBe(200);
    expect(JSON.stringify(session.body)).not.toContain('mine now');
  });

  test('is in none of his lists: runs, sessions, questions, search', async () => {
    const byName = `${RUNS}?threadId=${hers.threadId}&runId=${hers.runId}`;
    const unknown = `${RUNS}?threadId=${randomUUID()}&runId=${hers.runId}`;
    expect(shown(await as('bob', 'GET', byName))).toEqual(shown(await as('bob', 'GET', unknown)));
    for (const path of ['/api/v1/sessions', '/api/v1/interactions', '/api/v1/search?q=xylophone']) {
      const his = await as('bob', 'GET', path);
      expect([path, his.status, his.body.items]).toEqual([path, 200, []]);
      expect((await as('alice', 'GET', path)).body.items).not.toEqual([]);
    }
  });

  test('is not in his history, with her thread or without any (cases 5, 6)', async () => {
    const path = '/api/v1/agent/history';
    const foreign = await as('bob', 'GET', `${path}?threadId=${hers.threadId}`);
    expect(foreign.status).toBe(404);
    expect(shown(foreign)).toEqual(shown(await as('bob', 'GET', `${path}?threadId=${randomUUID()}`)));
    const latest = await as('bob', 'GET', path);
    expect([latest.status, latest.body]).toEqual([
      200,
      { scope: 'history_day', threadId: null, day: null, hasMore: false, messages: [] },
    ]);
    expect((await as('alice', 'GET', path)).body).toMatchObject({ threadId: hers.threadId });
  });

  test('takes no run of his: 404, and no word of it is kept (case 7)', async () => {
    const before = await as('alice', 'GET', `/api/v1/sessions/${hers.threadId}/transcript`);
    const run = runInput('I was here.', { threadId: hers.threadId });
    const refused = await as('bob', 'POST', RUNS, run);
    expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
    const stream = { authorization: `Bearer ${keys.bob}`, accept: 'text/event-stream' };
    const agui = await host.request('POST', '/api/v1/agent/agui', { headers: stream, body: run });
    expect(agui.status).toBe(404);
    const after = await as('alice', 'GET', `/api/v1/sessions/${hers.threadId}/transcript`);
    expect(after.body).toEqual(before.body);
  });

  test('does not hinder him: her runId on a thread of his own is another run (case 8)', async () => {
    const mine = runInput('/stream 1', { runId: hers.runId });
    const first = await as('bob', 'POST', RUNS, mine);
    const again = await as('bob', 'POST', RUNS, mine);
    expect([first.status, again.status]).toEqual([202, 202]);
    expect(first.body.taskId).not.toBe(hers.taskId);
    expect(again.body.taskId).toBe(first.body.taskId);
    const other = await as('bob', 'POST', RUNS, { ...mine, state: { other: true } });
    expect([other.status, other.body.details]).toMatchObject([409, { reason: 'CONFLICT' }]);
  });

  test('cannot be put into a message of his, though her url is valid', async () => {
    const image = (url: string) => [
      { type: 'text', text: 'look' },
      { type: 'binary', mimeType: 'image/png', url },
    ];
    const stolen = await as('bob', 'POST', RUNS, runInput(image(hers.url)));
    const madeUp = await as('bob', 'POST', RUNS, runInput(image('https://evil.example/dot.png')));
    expect([stolen.status, madeUp.status]).toEqual([422, 422]);
    expect(stolen.body.message).toBe(madeUp.body.message);
    expect((await as('alice', 'POST', RUNS, runInput(image(hers.url)))).status).toBe(202);
  });

  test('is written down as refused, with who asked for it', async () => {
    const { body } = await host.request('GET', '/api/v1/audit?limit=100');
    const rows = body.items as { actor: string; result: string; resource: string }[];
    const refused = rows.filter(({ actor, result }) => actor === 'user:bob' && result === 'not_found');
    expect(refused.map(({ resource }) => resource)).toContain(RUNS);
  });
});

describe('a thread that its user has deleted', () => {
  test('looks to others like one that was never theirs, whatever they bring', async () => {
    const gone = { threadId: randomUUID(), runId: randomUUID() };
    const { body } = await as('alice', 'POST', RUNS, runInput('/stream 1', gone));
    await host.events(String(body.taskId));
    expect((await as('alice', 'DELETE', `/api/v1/sessions/${gone.threadId}`)).status).toBe(204);
    const small = runInput('hello', { threadId: gone.threadId });
    const large = { ...small, state: { note: 'x'.repeat(100_000) } };
    for (const path of [RUNS, '/api/v1/agent/agui', '/api/v1/copilotkit/agent/default/connect']) {
      for (const sent of [small, large]) {
        const refused = await as('bob', 'POST', path, sent);
        expect([path, refused.status, refused.body.message]).toEqual([path, 404, 'there is no such thread']);
        expect((await as('alice', 'POST', path, sent)).status).toBe(409);
      }
    }
  });
});

describe('the owner', () => {
  test('sees what belongs to the users of the workspace', async () => {
    expect((await host.request('GET', `${RUNS}/${hers.taskId}`)).status).toBe(200);
    const headers = { authorization: `Bearer ${keys.alice}` };
    expect(textOf(await readFrames(`${host.url}${RUNS}/${hers.taskId}/events`, headers))).not.toBe('');
  });

  test('ends a key while its streams are open: they are cut, and the next request is 401 (case 76)', async () => {
    const key = await makeKey('carol');
    const headers = { authorization: `Bearer ${key}` };
    const run = await host.request('POST', RUNS, { headers, body: runInput('/slow 1000 100') });
    const response = await fetch(`${host.url}${RUNS}/${run.body.taskId}/events`, { headers });
    const reader = response.body?.getReader();
    expect((await reader?.read())?.done).toBe(false);
    const { body } = await host.request('GET', '/api/v1/keys');
    const [carol] = (body.items as { id: string; userId: string }[]).filter(({ userId }) => userId === 'carol');
    expect((await host.request('DELETE', `/api/v1/keys/${carol?.id}`)).status).toBe(204);
    await expect(
      (async () => {
        while ((await reader?.read())?.done === false);
      })().catch(() => undefined),
    ).resolves.toBeUndefined();
    expect((await host.request('GET', `${RUNS}/${run.body.taskId}`, { headers })).status).toBe(401);
    await host.cancel(String(run.body.taskId));
  });
});

describe('a login link', () => {
  test('is printed by every start, logs a browser in once, and the login survives a restart', async () => {
    const link = /http:\/\/127\.0\.0\.1:\d+\/login\/[\w-]{43}/.exec(host.output)?.[0] ?? '';
    expect(host.output).toContain('npx rostra open');
    const opened = await fetch(link, { redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([303, '/']);
    const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    expect((await fetch(link, { redirect: 'manual' })).status).toBe(410);
    const me = async () => (await fetch(`${host.url}/api/v1/me`, { headers: { cookie } })).json();
    expect(await me()).toMatchObject({ userId: 'owner', isAdmin: true });
    const before = host.output.length;
    await host.signal('SIGKILL');
    await host.start();
    expect(host.output.slice(before)).toMatch(/\/login\/[\w-]{43}/);
    expect(await me()).toMatchObject({ userId: 'owner' });
    expect((await as('alice', 'GET', '/api/v1/me')).body).toMatchObject({ userId: 'alice' });
  });
});
