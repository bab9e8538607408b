import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import type { MadeKey, NewKey } from '@rostra/protocol/run-api/key';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { KEY, RUNS, run, TestHost } from './test-host.ts';

const KEYS = '/api/v1/keys';
const json = { 'content-type': 'application/json' };
const registry = () => new MemoryStore().registry;

let host: TestHost;
beforeEach(async () => {
  host = await TestHost.start();
});
afterEach(() => host.stop());

const post = (path: string, body: unknown, key = KEY) =>
  host.ask('POST', path, { key, headers: json, body: JSON.stringify(body) });
const me = async (key: string) => (await host.ask('GET', '/api/v1/me', { key })).status;

async function make(more: Partial<NewKey> = {}, key = KEY): Promise<MadeKey> {
  const answer = await post(KEYS, { name: 'for the bot', scopes: ['runs'], ...more }, key);
  expect(answer.status).toBe(201);
  return answer.json() as unknown as MadeKey;
}

describe('a key that is shown again on the same connection', () => {
  const line = new Agent({ keepAlive: true, maxSockets: 1 });
  const on = async (key: string) => (await host.ask('GET', '/api/v1/me', { key, agent: line })).status;
  afterEach(() => line.destroy());

  it('is over at once when it is revoked', async () => {
    const made = await make();
    let opened = 0;
    host.http.server.on('connection', () => {
      opened += 1;
    });
    expect([await on(made.key), await on(made.key)]).toEqual([200, 200]);
    expect(opened).toBe(1);
    // By somebody else: the connection has shown nothing but this key.
    expect((await host.ask('DELETE', `${KEYS}/${made.id}`)).status).toBe(204);
    expect([await on(made.key), await on(made.key), await on(KEY)]).toEqual([401, 401, 200]);
    expect(opened).toBe(2);
  });

  it('is over at once when its time comes', async () => {
    const short = await make({ expiresAt: new Date(host.clock.now() + 60_000).toISOString() });
    expect([await on(short.key), await on(short.key)]).toEqual([200, 200]);
    host.clock.advance(60_000);
    expect(await on(short.key)).toBe(401);
  });

  it('opens nothing for another key, and for whoever shows none', async () => {
    const made = await make();
    expect([await on(made.key), await on(`${made.key.slice(0, -1)}_`), await on(made.key)]).toEqual([200, 401, 200]);
    expect((await host.ask('GET', '/api/v1/me', { key: null, agent: line })).status).toBe(401);
    expect((await host.ask('GET', KEYS, { key: made.key, agent: line })).status).toBe(403);
  });

  it('was used then', async () => {
    const made = await make();
    await on(made.key);
    host.clock.advance(5000);
    await on(made.key);
    const [item] = (await host.ask('GET', KEYS)).json().items as { lastUsedAt: string }[];
    expect(item?.lastUsedAt).toBe(new Date(host.clock.now()).toISOString());
  });
});

describe('a key that is made at run time', () => {
  it('is shown once, opens what it was made for, and is listed without what is secret of it', async () => {
    const made = await make();
    expect(made).toMatchObject({
      name: 'for the bot',
      userId: `key:${made.id}`,
      scopes: ['runs'],
      streams: 20,
      runsPerMinute: 60,
      source: 'api',
      createdBy: 'owner',
      expiresAt: null,
      lastUsedAt: null,
    });
    expect((await post(RUNS, run(), made.key)).status).toBe(202);
    expect((await host.ask('GET', KEYS, { key: made.key })).status).toBe(403);
    const list = await host.ask('GET', KEYS);
    expect(list.json()).toMatchObject({ items: [{ id: made.id, lastUsedAt: expect.any(String) }], nextCursor: null });
    expect(list.text).not.toContain(made.key.slice(-20));
  });

  it('is kept as a digest: neither store nor audit nor list has the key', async () => {
    const made = await make();
    const kept = JSON.stringify([await host.registry.list('key'), host.audit]);
    expect(kept).toContain(made.id);
    expect(kept).not.toContain(made.key.slice(-43));
  });

  it('outlives the host that made it, and is over when its time comes', async () => {
    const store = registry();
    await host.stop();
    host = await TestHost.start({}, {}, [], { registry: store });
    const forever = await make();
    const short = await make({ expiresAt: new Date(host.clock.now() + 60_000).toISOString() });
    expect([await me(forever.key), await me(short.key)]).toEqual([200, 200]);
    const ended: string[] = [];
    host.access.watch((id) => ended.push(id));
    host.clock.advance(60_000);
    expect([await me(forever.key), await me(short.key)]).toEqual([200, 401]);
    expect(ended).toEqual([`key:${short.id}`]);
    await host.stop();
    host = await TestHost.start({}, {}, [], { registry: store });
    expect(await me(forever.key)).toBe(200);
  });

  it('belongs to the user that it was made for; several of them are one user', async () => {
    const keys = [await make({ userId: 'alice' }), await make({ userId: 'alice' }), await make()];
    for (const { key } of keys) await post(RUNS, run({ runId: key.slice(0, 30) }), key);
    const users = host.session.submitted.map(({ principal }) => principal.user_id);
    expect(users).toEqual(['alice', 'alice', `key:${keys[2]?.id}`]);
  });

  it('works beside those of the configuration file, which cannot be revoked here', async () => {
    await host.stop();
    const file = { name: 'ci', key: 'key-of-the-file-0123', scopes: ['runs' as const], user: 'ci-user', streams: 3 };
    host = await TestHost.start({}, {}, [file]);
    const made = await make();
    const { items } = (await host.ask('GET', KEYS)).json();
    expect(items).toMatchObject([
      { id: 'ci', source: 'file', userId: 'ci-user', streams: 3, runsPerMinute: 60 },
      { id: made.id, source: 'api' },
    ]);
    const refused = await host.ask('DELETE', `${KEYS}/ci`);
    expect(refused.status).toBe(422);
    expect(refused.json().details.hint).toContain('auth.keys');
    expect([await me(file.key), await me(made.key)]).toEqual([200, 200]);
  });

  it('may be used for no more than the key that makes it (case 77)', async () => {
    const admin = await make({ scopes: ['admin', 'events'] });
    for (const scopes of [['runs'], ['admin', 'interactions'], ['events', 'runs']]) {
      const answer = await post(KEYS, { name: 'more', scopes }, admin.key);
      expect(answer.status).toBe(403);
      expect(answer.json()).toMatchObject({
        code: 'unauthorized',
        message: 'a key may not make another one that may more',
      });
    }
    expect((await post(KEYS, { name: 'less', scopes: ['events'] }, admin.key)).status).toBe(201);
    const low = await make({ scopes: ['runs'] });
    const refused = await post(KEYS, { name: 'x', scopes: ['runs'] }, low.key);
    expect(refused.status).toBe(403);
    expect((await host.registry.list('key')).length).toBe(3);
    expect(host.audit.filter(({ result }) => result === 'unauthorized')).toHaveLength(4);
  });

  it('is 401 from the request after its revocation on, and whoever serves it is told at once (case 76)', async () => {
    const made = await make();
    const told: string[] = [];
    host.access.watch((id) => told.push(id));
    expect(host.access.isValid(`key:${made.id}`)).toBe(true);
    expect((await host.ask('DELETE', `${KEYS}/${made.id}`)).status).toBe(204);
    expect(told).toEqual([`key:${made.id}`]);
    expect(host.access.isValid(`key:${made.id}`)).toBe(false);
    const answer = await post(RUNS, run(), made.key);
    expect(answer.status).toBe(401);
    expect(answer.json().message).toBe('this key is not valid');
    expect(host.session.submitted).toEqual([]);
    expect((await host.ask('DELETE', `${KEYS}/${made.id}`)).status).toBe(404);
    expect(host.audit.map(({ action, resource }) => [action, resource])).toContainEqual(['key.revoke', made.id]);
  });

  it('that the store could not remove is over nevertheless, is told, and can be revoked again', async () => {
    const made = await make();
    const ended: string[] = [];
    host.access.watch((id) => ended.push(id));
    const failing = vi
      .spyOn(host.registry, 'delete')
      .mockRejectedValueOnce(new ApiError('runtime_error', 'The disk is full.', { retryable: true }));
    expect((await host.ask('DELETE', `${KEYS}/${made.id}`)).status).toBe(503);
    expect([await me(made.key), ended]).toEqual([401, [`key:${made.id}`]]);
    expect((await host.ask('DELETE', `${KEYS}/${made.id}`)).status).toBe(204);
    expect([failing.mock.calls.length > 1, await host.registry.list('key')]).toEqual([true, []]);
  });

  it('that was used while it was revoked does not come back', async () => {
    const store = registry();
    await host.stop();
    host = await TestHost.start({}, {}, [], { registry: store });
    const made = await make();
    await me(made.key);
    await host.ask('DELETE', `${KEYS}/${made.id}`);
    host.clock.advance(limits.key_use_delay);
    await host.access.close();
    await host.stop();
    host = await TestHost.start({}, {}, [], { registry: store });
    expect(await me(made.key)).toBe(401);
    expect((await host.ask('GET', KEYS)).json()).toEqual({ items: [], nextCursor: null });
  });

  it('has its last use written down once in a while, not with every request', async () => {
    const made = await make();
    const put = vi.spyOn(host.registry, 'put');
    for (let n = 0; n < 5; n += 1) await me(made.key);
    expect(put).not.toHaveBeenCalled();
    host.clock.advance(limits.key_use_delay);
    await vi.waitFor(() => expect(put).toHaveBeenCalledTimes(1));
    expect(await host.registry.get('key-use', `key:${made.id}`)).toMatchObject({ value: expect.any(Number) });
  });

  it.each<[string, object, string]>([
    ['no scope', { scopes: [] }, 'scopes'],
    ['an unknown scope', { scopes: ['everything'] }, 'scopes.0'],
    ['a key of the caller’s own choice', { key: 'mine-0123456789abcdef' }, 'key'],
    ['a user with a blank', { userId: 'a b' }, 'userId'],
    ['no streams', { streams: 0 }, 'streams'],
    ['a time that is none', { expiresAt: 'soon' }, 'expiresAt'],
    ['a time that is over', { expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt'],
  ])('is not made with %s', async (_name, more, path) => {
    const answer = await post(KEYS, { name: 'x', scopes: ['runs'], ...more });
    expect(answer.status).toBe(422);
    expect(answer.json()).toMatchObject({ code: 'invalid_argument', details: { path } });
    expect(await host.registry.list('key')).toEqual([]);
  });

  it('is paged', async () => {
    for (let n = 0; n < 3; n += 1) await make({ name: `k${n}` });
    const first = (await host.ask('GET', `${KEYS}?limit=2`)).json();
    expect(first.items).toHaveLength(2);
    const rest = (await host.ask('GET', `${KEYS}?limit=2&cursor=${first.nextCursor}`)).json();
    expect(rest).toMatchObject({ items: [{}], nextCursor: null });
    expect((await host.ask('GET', `${KEYS}?cursor=x`)).status).toBe(422);
  });
});

describe('a key’s own limits', () => {
  it('are runs a minute: beyond them 429 says when, nothing is written, and the owner has none (case 31)', async () => {
    const made = await make({ runsPerMinute: 3 });
    const submit = (key: string) => post(RUNS, run({ threadId: randomUUID() }), key);
    const statuses = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await submit(made.key)).status);
    expect(statuses).toEqual([202, 202, 202, 429, 429, 429]);
    const refused = await submit(made.key);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30);
    expect(refused.json()).toMatchObject({
      code: 'rate_limited',
      message: 'this key may start 3 runs a minute',
      retryable: true,
    });
    expect(host.session.submitted).toHaveLength(3);
    expect(host.audit.filter(({ result }) => result === 'rate_limited')).toHaveLength(1);
    for (let n = 0; n < 70; n += 1) expect((await submit(KEY)).status).toBe(202);
  });

  it('count the events that it sends, too: each of them starts a run', async () => {
    const made = await make({ scopes: ['runs', 'events'], runsPerMinute: 3 });
    const send = (event_id: string) => {
      const event = { event_id, event_type: 'member.joined', source: 'telegram' };
      return post('/api/v1/events', { event }, made.key);
    };
    expect((await post(RUNS, run(), made.key)).status).toBe(202);
    const answers = [await send('e1'), await send('e2'), await send('e3')];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 429]);
    expect(Number(answers[2]?.headers['retry-after'])).toBeGreaterThan(30);
    expect(host.entries.events).toHaveLength(2);
    expect((await post(RUNS, run(), made.key)).status).toBe(429);
  });

  it('are counted for each key', async () => {
    const [one, two] = [await make({ runsPerMinute: 1 }), await make({ runsPerMinute: 1 })];
    expect((await post(RUNS, run(), one.key)).status).toBe(202);
    expect((await post(RUNS, run(), one.key)).status).toBe(429);
    expect((await post(RUNS, run(), two.key)).status).toBe(202);
  });

  it('are counted anew after a minute', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      const made = await make({ runsPerMinute: 1 });
      expect((await post(RUNS, run(), made.key)).status).toBe(202);
      expect((await post(RUNS, run(), made.key)).status).toBe(429);
      vi.setSystemTime(Date.now() + 60_001);
      expect((await post(RUNS, run(), made.key)).status).toBe(202);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('who asks', () => {
  it('is told by /api/v1/me, whatever the key is for', async () => {
    const made = await make({ scopes: ['events'], userId: 'alice' });
    expect((await host.ask('GET', '/api/v1/me', { key: made.key })).json()).toEqual({
      userId: 'alice',
      workspaceId: 'local',
      scopes: ['events'],
      isAdmin: false,
    });
    expect((await host.ask('GET', '/api/v1/me')).json()).toMatchObject({ userId: 'owner', isAdmin: true });
    expect((await host.ask('GET', '/api/v1/me', { key: null })).status).toBe(401);
  });

  it('is not told by what the request says of itself (case 78)', async () => {
    const made = await make({ scopes: ['runs'], userId: 'alice' });
    const headers = { ...json, 'x-scopes': 'admin', 'x-role': 'admin', 'x-user-id': 'owner', 'x-tenant-id': 'other' };
    const claims = { scopes: ['admin'], role: 'admin', tenant_id: 'other', workspace_id: 'other', user_id: 'owner' };
    const body = JSON.stringify(run({ forwardedProps: claims, state: claims }));
    expect((await host.ask('POST', RUNS, { key: made.key, headers, body })).status).toBe(202);
    expect(host.session.submitted[0]?.principal).toMatchObject({
      workspace_id: 'local',
      user_id: 'alice',
      is_admin: false,
      credential: { scopes: ['runs'] },
    });
    expect((await host.ask('GET', KEYS, { key: made.key, headers })).status).toBe(403);
  });

  it('cannot be found out by how a wrong key is refused (case 82)', async () => {
    const made = await make();
    const wrong = `${made.key.slice(0, -1)}${made.key.endsWith('A') ? 'B' : 'A'}`;
    const unknown = `rostra_key_0123456789abcdef_${'x'.repeat(43)}`;
    const bodies = [];
    for (const key of [wrong, unknown, 'rostra_nothing-of-the-kind']) {
      const answer = await host.ask('GET', '/api/v1/me', { key });
      expect(answer.status).toBe(401);
      bodies.push(answer.text);
    }
    expect(new Set(bodies).size).toBe(1);
  });
});
