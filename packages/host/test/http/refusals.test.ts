import { connect } from 'node:net';
import { limits } from '@rostra/protocol/wire/limits';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { KEY, RUNS, run, TestHost } from './test-host.ts';

const json = { 'content-type': 'application/json' };
const MINUTE = 60_000;

let host: TestHost;
beforeEach(async () => {
  host = await TestHost.start();
});
afterEach(() => host.stop());

describe('an address that nobody serves', () => {
  it('is told to a person as a page that leads on, and to a program as JSON; both are written down', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    const page = await host.ask('GET', '/nope/x', { key: null, headers: { accept } });
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.text).toContain('<a href="/">');
    const json = await host.ask('GET', '/nope/x', { key: null, headers: { accept: '*/*' } });
    expect([json.status, json.json().code]).toEqual([404, 'not_found']);
    expect((await host.ask('POST', '/nope/x', { key: null, headers: { accept } })).json().code).toBe('not_found');
    expect(host.audit.filter(({ result }) => result === 'not_found')).not.toEqual([]);
  });
});

describe('what is written down of refusals', () => {
  it('is who asked for what, from where, and what was said (case 2)', async () => {
    const answer = await host.post(run(), { origin: 'https://evil.example' });
    expect(answer.status).toBe(403);
    expect(answer.json()).toMatchObject({
      code: 'unauthorized',
      message: 'pages of this origin may not use this host',
    });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(host.audit).toEqual([
      {
        at: host.clock.now(),
        workspace_id: 'local',
        actor: 'address:127.0.0.1',
        session_id: null,
        run_id: null,
        runner_id: null,
        action: 'http.post',
        resource: RUNS,
        scope: null,
        result: 'unauthorized',
        details: { status: 403, address: '127.0.0.1', message: 'pages of this origin may not use this host' },
      },
    ]);
    expect(host.session.submitted).toEqual([]);
  });

  it('names the user where one was proved', async () => {
    await host.post(run({ threadId: 'x' }));
    await host.ask('GET', `${RUNS}/none`);
    expect(host.audit.map(({ actor, result, details }) => [actor, result, details])).toEqual([
      ['user:owner', 'invalid_argument', expect.objectContaining({ status: 422, credential: 'owner' })],
      ['user:owner', 'not_found', expect.objectContaining({ status: 404 })],
    ]);
  });

  it('is one row for all that came without a credential from one address in a minute (case 1)', async () => {
    for (let n = 0; n < 5; n += 1) {
      expect((await host.ask('GET', `${RUNS}/${n}`, { key: null })).status).toBe(401);
      expect((await host.ask('GET', `${RUNS}/${n}`, { key: 'rostra_wrong' })).status).toBe(401);
    }
    expect(host.audit).toHaveLength(1);
    expect(host.audit[0]).toMatchObject({ actor: 'address:127.0.0.1', result: 'unauthorized' });
    host.clock.advance(MINUTE);
    await host.ask('GET', `${RUNS}/x`, { key: null });
    expect(host.audit).toHaveLength(2);
  });

  it('has a bound for each caller and minute, whatever is refused to them', async () => {
    for (let n = 0; n < limits.refusal_rows + 5; n += 1) await host.ask('GET', `${RUNS}/none`);
    expect(host.audit).toHaveLength(limits.refusal_rows);
  });

  it('has no query: there may be a token in it (case 4)', async () => {
    for (const name of ['token', 'key', 'access_token', 'api_key']) {
      const answer = await host.ask('GET', `${RUNS}/x?${name}=${KEY}`, { key: null });
      expect(answer.status).toBe(401);
      expect(answer.json().message).toBe('a key is required');
    }
    await host.ask('GET', `${RUNS}/x?token=${KEY}`);
    expect(host.audit.map(({ resource }) => resource)).toEqual([`${RUNS}/x`, `${RUNS}/x`]);
    expect(JSON.stringify([host.audit, host.reported])).not.toContain(KEY);
  });

  it('has no code of a login link, which is still good after that', async () => {
    const { url } = (await host.ask('POST', '/api/v1/login-links')).json();
    const path = new URL(String(url)).pathname;
    for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
      expect((await host.ask('GET', path, { key: null, headers })).status).toBe(403);
    }
    expect((await host.ask('POST', path, { key: null })).status).toBe(405);
    const refused = host.audit.filter(({ action }) => action.startsWith('http.'));
    expect(refused.map(({ resource }) => resource)).toEqual(['/login/…', '/login/…', '/login/…']);
    expect(JSON.stringify(host.audit)).not.toContain(path);
    expect((await host.ask('GET', path, { key: null })).status).toBe(303);
  });

  it('is there for a rebound name too (case 3)', async () => {
    const answer = await host.ask('GET', '/', { headers: { host: 'evil.example' } });
    expect(answer.status).toBe(403);
    expect(answer.json()).toMatchObject({ code: 'unauthorized', message: 'this host name is not served here' });
    expect(host.audit).toMatchObject([{ action: 'http.get', resource: '/', result: 'unauthorized' }]);
  });

  it('is there for what never became a request', async () => {
    const socket = connect(host.port, '127.0.0.1');
    socket.end(`GET / HTTP/1.1\r\nx: ${'x'.repeat(limits.header_bytes)}\r\n\r\n`);
    const text = await new Promise<string>((resolve) => {
      let all = '';
      socket.on('data', (chunk) => {
        all += chunk.toString();
      });
      socket.on('close', () => resolve(all));
      socket.on('error', () => undefined);
    });
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    await vi.waitFor(() => expect(host.audit).toMatchObject([{ result: 'payload_too_large' }]));
  });

  it.each([
    ['*', '127.0.0.1'],
    ['ftp://127.0.0.1/', '127.0.0.1'],
    ['http://[', '127.0.0.1'],
    ['/\\x', '127.0.0.1'],
    ['/api/v1/me', '127.0.0.1#x'],
    ['/api/v1/me', '127.0.0.1:'],
  ])('is there for an address that cannot be read: %s at %s', async (target, name) => {
    const socket = connect(host.port, '127.0.0.1');
    socket.end(`GET ${target} HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`);
    const text = Buffer.concat(await socket.toArray()).toString();
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(JSON.parse(text.split('\r\n\r\n', 2)[1] ?? '')).toMatchObject({
      code: 'invalid_argument',
      message: 'the address of this request cannot be read',
    });
    expect(host.audit).toMatchObject([{ action: 'http.get', result: 'invalid_argument' }]);
    expect(host.reported).toEqual([]);
  });

  it('is nothing where nothing was refused', async () => {
    expect((await host.post(run())).status).toBe(202);
    expect((await host.ask('GET', '/healthz', { key: null })).status).toBe(200);
    expect(host.audit).toEqual([]);
  });

  it('tells a key for something else by what it lacked', async () => {
    const body = JSON.stringify({ name: 'x', scopes: ['events'] });
    const { key, id } = (await host.ask('POST', '/api/v1/keys', { headers: json, body })).json();
    expect((await host.ask('GET', `${RUNS}/x`, { key: String(key) })).status).toBe(403);
    expect(host.audit.at(-1)).toMatchObject({ actor: `user:key:${id}`, scope: 'runs', result: 'unauthorized' });
  });
});
