import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { limits } from '@rostra/protocol/wire/limits';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';
import { KEY, RUNS, run, TestHost, threadId } from './test-host.ts';

const LINKS = '/api/v1/login-links';
const json = { 'content-type': 'application/json' };

let host: TestHost;
beforeEach(async () => {
  host = await TestHost.start();
});
afterEach(() => host.stop());

/** The path of a fresh link. */
async function link(key = KEY): Promise<string> {
  const answer = await host.ask('POST', LINKS, { key });
  expect(answer.status).toBe(201);
  const { url } = answer.json();
  expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${host.port}/login/[\\w-]{43}$`));
  return new URL(String(url)).pathname;
}

function cookieOf(headers: IncomingHttpHeaders): string {
  return String(headers['set-cookie']?.[0]).split(';')[0] ?? '';
}

async function login(key = KEY): Promise<string> {
  const answer = await host.ask('GET', await link(key), { key: null });
  expect([answer.status, answer.headers.location]).toEqual([303, '/']);
  return cookieOf(answer.headers);
}

async function keyOfAlice(): Promise<{ id: string; key: string }> {
  const body = JSON.stringify({ name: 'phone', scopes: ['runs'], userId: 'alice' });
  const made = (await host.ask('POST', '/api/v1/keys', { headers: json, body })).json();
  return { id: String(made.id), key: String(made.key) };
}

const own = () => ({ origin: `http://127.0.0.1:${host.port}`, 'x-rostra-request': '1' });
const submit = (cookie: string, headers: Record<string, string>) =>
  host.ask('POST', RUNS, { key: null, headers: { ...json, cookie, ...headers }, body: JSON.stringify(run()) });
const me = (cookie: string, headers: Record<string, string> = {}) =>
  host.ask('GET', '/api/v1/me', { key: null, headers: { cookie, ...headers } });

describe('a login link', () => {
  it('sets a cookie that no script reads and no other site sends, and the browser is who made it', async () => {
    const answer = await host.ask('GET', await link(), { key: null });
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^rostra_[0-9a-f]{12}=[\w-]+\.[\w-]+; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    expect(answer.headers['cache-control']).toBe('no-store');
    const cookie = cookieOf(answer.headers);
    expect((await me(cookie)).json()).toMatchObject({ userId: 'owner', isAdmin: true });
    expect((await submit(cookie, own())).status).toBe(202);
    expect(host.audit.map(({ action, actor }) => [action, actor])).toEqual([
      ['login.link', 'user:owner'],
      ['login', 'user:owner'],
    ]);
  });

  it('works once: then its page says how to get a new one, in plain HTML without scripts', async () => {
    const path = await link();
    expect((await host.ask('GET', path, { key: null })).status).toBe(303);
    const used = await host.ask('GET', path, { key: null });
    const unknown = await host.ask('GET', `/login/${'x'.repeat(43)}`, { key: null });
    for (const answer of [used, unknown]) {
      expect(answer.status).toBe(410);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.text).toContain('npx rostra open');
      expect(answer.text).toContain('prefers-color-scheme:dark');
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    }
    expect(used.text).toBe(unknown.text);
  });

  it('is not used up by whoever only looks', async () => {
    const path = await link();
    expect((await host.ask('HEAD', path, { key: null })).status).toBe(200);
    for (const headers of [
      { 'sec-purpose': 'prefetch;prerender' },
      { 'sec-purpose': 'prefetch' },
      { purpose: 'prefetch' },
    ]) {
      const ahead = await host.ask('GET', path, { key: null, headers });
      expect([ahead.status, ahead.headers['set-cookie']]).toEqual([503, undefined]);
    }
    expect((await host.ask('POST', path, { key: null })).status).toBe(405);
    expect((await host.ask('GET', path, { key: null })).status).toBe(303);
  });

  it('is not pushed out by somebody else who makes many: of those the oldest go', async () => {
    const owners = await link();
    const { key } = await keyOfAlice();
    const hers: string[] = [];
    for (let n = 0; n < limits.login_links; n += 1) hers.push(await link(key));
    const status = async (path = '') => (await host.ask('GET', path, { key: null })).status;
    expect([await status(hers[0]), await status(hers[1]), await status(hers.at(-1))]).toEqual([410, 303, 303]);
    expect(await status(owners)).toBe(303);
  });

  it('is over after 15 minutes', async () => {
    const [early, late] = [await link(), await link()];
    host.clock.advance(limits.login_link - 1);
    expect((await host.ask('GET', early, { key: null })).status).toBe(303);
    host.clock.advance(1);
    expect((await host.ask('GET', late, { key: null })).status).toBe(410);
  });

  it('of a key logs in as that key, with what it may and as long as it is valid', async () => {
    const { id, key } = await keyOfAlice();
    const cookie = await login(key);
    expect((await me(cookie)).json()).toMatchObject({ userId: 'alice', scopes: ['runs'] });
    const keys = await host.ask('GET', '/api/v1/keys', { key: null, headers: { cookie } });
    expect(keys.status).toBe(403);
    await host.ask('DELETE', `/api/v1/keys/${id}`);
    expect((await me(cookie)).status).toBe(401);
  });

  it('is under the public address, whose cookie travels encrypted only', async () => {
    await host.stop();
    const public_url = 'https://agents.example';
    host = await TestHost.start({ hosts: ['agents.example'], origins: [public_url] }, {}, [], { public_url });
    const { url } = (await host.ask('POST', LINKS)).json();
    expect(url).toMatch(/^https:\/\/agents\.example\/login\//);
    const answer = await host.ask('GET', new URL(String(url)).pathname, { key: null });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; Secure$/);
    const headers = { origin: public_url, 'x-rostra-request': '1' };
    expect((await submit(cookieOf(answer.headers), headers)).status).toBe(202);
  });
});

describe('a login', () => {
  it('survives a restart, and ends with the owner’s key or after 30 days', async () => {
    const { registry } = new MemoryStore();
    await host.stop();
    host = await TestHost.start({}, {}, [], { registry });
    const cookie = await login();
    await host.stop();
    host = await TestHost.start({}, {}, [], { registry });
    expect((await me(cookie)).status).toBe(200);
    host.clock.advance(limits.login);
    expect((await me(cookie)).status).toBe(401);
  });

  it('by a key of the configuration file ends when another key takes its name, and with no restart before', async () => {
    const { registry } = new MemoryStore();
    const start = async (key: string) => {
      await host.stop();
      host = await TestHost.start({}, {}, [{ name: 'ci', key, scopes: ['runs'] }], { registry });
    };
    await start('the-key-that-leaked');
    const cookie = await login('the-key-that-leaked');
    await start('the-key-that-leaked');
    expect((await me(cookie)).json()).toMatchObject({ userId: 'key:ci' });
    await start('the-key-after-that');
    expect((await me(cookie)).status).toBe(401);
    expect((await me(await login('the-key-after-that'))).json()).toMatchObject({ userId: 'key:ci' });
  });

  it('that was altered is none', async () => {
    const cookie = await login();
    const [name = '', value = ''] = cookie.split('=');
    const [said = '', mac = ''] = value.split('.');
    const other = Buffer.from(Buffer.from(said, 'base64url').toString().replace('owner', 'key:x')).toString(
      'base64url',
    );
    const altered = [`${other}.${mac}`, `${said}.${mac.slice(1)}`, `${said}.`, said, '', `${value}x`, '.'];
    for (const each of altered) expect([each, (await me(`${name}=${each}`)).status]).toEqual([each, 401]);
    expect((await me(`a=b; ${cookie}; c=d`)).status).toBe(200);
  });

  it('changes nothing without its header and a page of this host', async () => {
    const cookie = await login();
    const origin = `http://127.0.0.1:${host.port}`;
    const attempts: [Record<string, string>, number][] = [
      [{}, 403],
      [{ 'x-rostra-request': '1' }, 403],
      [{ origin }, 403],
      [{ origin, 'x-rostra-request': '0' }, 403],
      // Another page of this machine may call with a key, but what a browser sends by itself is not one.
      [{ origin: 'http://127.0.0.1:3000', 'x-rostra-request': '1' }, 401],
      [{ origin: 'http://localhost:3000', 'x-rostra-request': '1' }, 401],
      [{ origin: 'https://evil.example', 'x-rostra-request': '1' }, 403],
    ];
    for (const [headers, status] of attempts) {
      const answer = await submit(cookie, headers);
      expect([headers, answer.status]).toEqual([headers, status]);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    }
    expect(host.session.submitted).toEqual([]);
    const refused = await submit(cookie, { origin });
    expect(refused.json().details.hint).toContain('X-Rostra-Request: 1');
    expect((await submit(cookie, own())).status).toBe(202);
  });

  it('is not read for pages of other sites and other ports', async () => {
    const cookie = await login();
    for (const site of ['same-site', 'cross-site']) {
      expect([site, (await me(cookie, { 'sec-fetch-site': site })).status]).toEqual([site, 401]);
    }
    for (const site of ['same-origin', 'none']) {
      expect([site, (await me(cookie, { 'sec-fetch-site': site })).status]).toEqual([site, 200]);
    }
    expect((await me(cookie, { origin: 'http://localhost:5173' })).status).toBe(401);
  });

  it('ends for good when its browser logs out, and only that one', async () => {
    const { registry } = new MemoryStore();
    await host.stop();
    host = await TestHost.start({}, {}, [], { registry });
    const [one, two] = [await login(), await login()];
    const answer = await host.ask('POST', '/api/v1/logout', { key: null, headers: { cookie: one, ...own() } });
    expect(answer.status).toBe(204);
    expect(answer.headers['set-cookie']?.[0]).toContain('Max-Age=0');
    expect([(await me(one)).status, (await me(two)).status]).toEqual([401, 200]);
    await host.stop();
    host = await TestHost.start({}, {}, [], { registry });
    expect([(await me(one)).status, (await me(two)).status]).toEqual([401, 200]);
  });

  it('takes its streams, waits and websockets with it when its browser logs out, and no others', async () => {
    const turn = host.session.addTurn(threadId, 't1');
    host.session.start(turn);
    const { id, key } = await keyOfAlice();
    const [one, two] = [await login(key), await login(key)];
    const mine = [await watch(one), await listen(one)];
    const waiting = host.ask('GET', `${RUNS}/t1/wait`, { key: null, headers: { cookie: one } });
    const others = [await watch(two), await listen(two)];
    await vi.waitFor(() => expect(host.access.streams.of(`key:${id}`)).toBe(5));
    const answer = await host.ask('POST', '/api/v1/logout', { key: null, headers: { cookie: one, ...own() } });
    expect(answer.status).toBe(204);
    await vi.waitFor(() => expect(mine.map((isOpen) => isOpen())).toEqual([false, false]));
    expect((await waiting).status).toBe(401);
    expect(others.map((isOpen) => isOpen())).toEqual([true, true]);
    expect(host.access.streams.of(`key:${id}`)).toBe(2);
  });

  it('takes them with it after its 30 days, too', async () => {
    const turn = host.session.addTurn(threadId, 't1');
    host.session.start(turn);
    const { id, key } = await keyOfAlice();
    const cookie = await login(key);
    host.clock.advance(limits.login - 1000);
    const mine = [await watch(cookie), await listen(cookie)];
    const waiting = host.ask('GET', `${RUNS}/t1/wait`, { key: null, headers: { cookie } });
    await vi.waitFor(() => expect(host.access.streams.of(`key:${id}`)).toBe(3));
    host.clock.advance(999);
    expect(mine.map((isOpen) => isOpen())).toEqual([true, true]);
    host.clock.advance(1);
    expect((await waiting).status).toBe(401);
    await vi.waitFor(() => expect(mine.map((isOpen) => isOpen())).toEqual([false, false]));
  });
});

/** A stream of somebody who is logged in; tells whether it is open. */
function watch(cookie: string): Promise<() => boolean> {
  return new Promise((resolve, reject) => {
    const at = { port: host.port, host: '127.0.0.1', path: `${RUNS}/t1/events`, headers: { cookie }, agent: false };
    const req = request(at, (res) => {
      res.on('error', () => undefined).resume();
      resolve(() => !res.closed);
    });
    req.on('error', reject).end();
  });
}

/** The same for a websocket. */
async function listen(cookie: string): Promise<() => boolean> {
  const origin = `http://127.0.0.1:${host.port}`;
  const socket = new WebSocket(`ws://127.0.0.1:${host.port}/api/v1/socket`, { headers: { cookie, origin } });
  await once(socket, 'open');
  return () => socket.readyState === socket.OPEN;
}
