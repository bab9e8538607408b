import { afterEach, describe, expect, it } from 'vitest';
import { RUNS, run, TestHost } from './test-host.ts';

let host: TestHost;
afterEach(() => host.stop());
const json = { 'content-type': 'application/json' };
const body = JSON.stringify(run());

describe('the key', () => {
  it.each<[string, string | null, Record<string, string>]>([
    ['no key', null, {}],
    ['a wrong key', 'rostra_wrong', {}],
    ['an empty key', null, { authorization: 'Bearer ' }],
    ['another scheme', null, { authorization: 'Basic cm9zdHJh' }],
    ['a key with a suffix', 'rostra_test-key-0123456789x', {}],
  ])('is required: %s is 401 and says where it is', async (_name, key, headers) => {
    host = await TestHost.start();
    for (const [method, path] of [
      ['POST', RUNS],
      ['GET', `${RUNS}/x/events`],
      ['GET', `${RUNS}/x`],
      ['POST', `${RUNS}/x/cancel`],
      ['GET', '/api/v1/nothing'],
    ] as const) {
      const answer = await host.ask(method, path, { key, headers: { ...json, ...headers } });
      expect([path, answer.status]).toEqual([path, 401]);
      expect(answer.json()).toMatchObject({
        code: 'unauthorized',
        details: { hint: expect.stringContaining('.rostra/owner.key') },
      });
      expect(answer.headers['www-authenticate']).toContain('Bearer');
    }
  });

  it('is not taken from the query string', async () => {
    host = await TestHost.start();
    for (const name of ['token', 'key', 'access_token']) {
      const answer = await host.ask('GET', `${RUNS}/x?${name}=rostra_test-key-0123456789`, { key: null });
      expect(answer.status).toBe(401);
    }
  });
});

describe('the Host header', () => {
  const ask = (name: string) => host.ask('GET', '/healthz', { key: null, headers: { host: name } });

  it('on a loopback address must name this machine', async () => {
    host = await TestHost.start();
    for (const name of ['127.0.0.1', 'localhost:8787', 'LOCALHOST', '[::1]:1', `127.0.0.1:${host.port}`]) {
      expect([name, (await ask(name)).status]).toEqual([name, 200]);
    }
    const strangers = ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example', '10.0.0.1', 'a@localhost/x'];
    for (const name of strangers) {
      const answer = await ask(name);
      expect([name, answer.status]).toEqual([name, 403]);
      expect(answer.json().details.hint).toContain('ROSTRA_HOSTS');
    }
  });

  it('may name what its owner allowed', async () => {
    host = await TestHost.start({ hosts: ['agents.example'] });
    expect((await ask('agents.example:443')).status).toBe(200);
    expect((await ask('x.agents.example')).status).toBe(403);
  });

  it('on a public address may be any address, but no name that was not allowed', async () => {
    host = await TestHost.start({ bind: '0.0.0.0' });
    expect((await ask('192.168.1.5:8787')).status).toBe(200);
    expect((await ask('evil.example')).status).toBe(403);
  });
});

describe('the Origin header', () => {
  it('of another site is refused, without CORS headers and before the body is read', async () => {
    host = await TestHost.start();
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      'http://127.0.0.1@evil.example',
    ]) {
      const answer = await host.ask('POST', RUNS, { headers: { ...json, origin }, body: 'x'.repeat(300_000) });
      expect([origin, answer.status]).toEqual([origin, 403]);
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
      expect(answer.json().details.hint).toContain('ROSTRA_ORIGINS');
    }
  });

  it('of this machine and of allowed sites gets CORS without credentials', async () => {
    host = await TestHost.start({ origins: ['https://app.example'] });
    for (const origin of ['http://localhost:3000', 'http://127.0.0.1:5173', 'http://[::1]:9', 'https://app.example']) {
      const answer = await host.ask('POST', RUNS, { headers: { ...json, origin }, body });
      expect([origin, answer.status]).toEqual([origin, 202]);
      expect(answer.headers['access-control-allow-origin']).toBe(origin);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      expect(answer.headers.vary).toBe('Origin');
      for (const name of ['location', 'retry-after', 'etag', 'content-range']) {
        expect(answer.headers['access-control-expose-headers']).toContain(name);
      }
    }
  });

  it('of this machine is one like any other where the host can be reached from elsewhere', async () => {
    host = await TestHost.start({ bind: '0.0.0.0', origins: ['https://app.example'] });
    const ask = async (origin: string) => (await host.ask('POST', RUNS, { headers: { ...json, origin }, body })).status;
    expect(await ask('http://localhost:3000')).toBe(403);
    expect(await ask('https://app.example')).toBe(202);
    expect(await ask(`http://127.0.0.1:${host.port}`)).toBe(202);
  });

  it('asks beforehand without a key, and is told what is possible', async () => {
    host = await TestHost.start();
    const headers = { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' };
    const answer = await host.ask('OPTIONS', RUNS, { key: null, headers });
    expect(answer.status).toBe(204);
    for (const name of ['authorization', 'last-event-id', 'if-match', 'x-timezone', 'x-rostra-request', 'range']) {
      expect(answer.headers['access-control-allow-headers']).toContain(name);
    }
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      expect(answer.headers['access-control-allow-methods']).toContain(method);
    }
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    expect(
      (await host.ask('OPTIONS', RUNS, { key: null, headers: { ...headers, origin: 'https://x.y' } })).status,
    ).toBe(403);
  });

  it('stays on answers that the framework gives', async () => {
    host = await TestHost.start();
    const answer = await host.ask('GET', `${RUNS}/none`, { headers: { origin: 'http://localhost:3000' } });
    expect(answer.status).toBe(404);
    expect(answer.headers['access-control-allow-origin']).toBe('http://localhost:3000');
  });
});
