import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { JwtConfig } from '@rostra/protocol/config/jwt-config';
import { limits } from '@rostra/protocol/wire/limits';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FileKeySet, RemoteKeySet } from '../../src/access/key-set-source.ts';
import { TokenVerifier } from '../../src/access/token-verifier.ts';
import { KEY, RUNS, run, TestHost } from './test-host.ts';

const issuer = 'https://id.example';
const audience = 'rostra';
const json = { 'content-type': 'application/json' };

let pair: { publicKey: CryptoKey; privateKey: CryptoKey };
let stranger: CryptoKey;
/** Where the keys are: what it answers with, and how often it was asked. */
let keys: Server;
let answer: { status: number; body: string };
let asked = 0;
let host: TestHost;
let failures: unknown[];

beforeAll(async () => {
  pair = await generateKeyPair('ES256');
  stranger = (await generateKeyPair('ES256')).privateKey;
  keys = createServer((_req, res) => {
    asked += 1;
    res.writeHead(answer.status, { 'content-type': 'application/json', location: 'http://127.0.0.1:1/' });
    res.end(answer.body);
  });
  await new Promise<void>((resolve) => keys.listen(0, '127.0.0.1', resolve));
});
afterAll(() => keys.close());

beforeEach(async () => {
  const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' };
  answer = { status: 200, body: JSON.stringify({ keys: [jwk] }) };
  asked = 0;
  failures = [];
  const url = new URL(`http://127.0.0.1:${(keys.address() as AddressInfo).port}/jwks`);
  const config = JwtConfig.parse({ issuer, audience, jwks_url: url.href });
  host = await TestHost.start({}, {}, [], {
    tokens: (clock) =>
      new TokenVerifier({
        config,
        keys: new RemoteKeySet(url, clock),
        workspace_id: 'local',
        clock,
        failed: (error) => failures.push(error),
      }),
  });
});
afterEach(() => host.stop());

interface Claims {
  sub?: string | number;
  iss?: string;
  aud?: string;
  scope?: unknown;
  exp?: number;
  nbf?: number;
  email?: string;
}

const seconds = () => Math.floor(host.clock.now() / 1000);

function token(claims: Claims = {}, key = pair.privateKey, kid = 'k1'): Promise<string> {
  const all = { sub: 'alice', iss: issuer, aud: audience, scope: 'rostra:runs', exp: seconds() + 300, ...claims };
  return new SignJWT(all as Record<string, unknown>).setProtectedHeader({ alg: 'ES256', kid }).sign(key);
}

const me = (key: string) => host.ask('GET', '/api/v1/me', { key });

describe('a token of another system', () => {
  it('is somebody of the workspace with what its scopes stand for; keys are read once', async () => {
    const key = await token({ scope: 'openid rostra:runs rostra:interactions profile' });
    expect((await me(key)).json()).toEqual({
      userId: 'jwt:alice',
      workspaceId: 'local',
      scopes: ['runs', 'interactions'],
      isAdmin: false,
    });
    expect((await host.ask('POST', RUNS, { key, headers: json, body: JSON.stringify(run()) })).status).toBe(202);
    expect(host.session.submitted[0]?.principal).toMatchObject({
      user_id: 'jwt:alice',
      credential: { id: 'jwt:alice', streams: 20, runs_minute: 60 },
    });
    expect((await host.ask('GET', '/api/v1/keys', { key })).status).toBe(403);
    expect(asked).toBe(1);
  });

  it('may say its scopes as a list, and is nobody special by words that stand for nothing', async () => {
    expect((await me(await token({ scope: ['rostra:admin'] }))).json()).toMatchObject({ isAdmin: true });
    for (const scope of ['admin', ['admin', 'runs'], 'ROSTRA:ADMIN', undefined, 7, { admin: true }, '__proto__']) {
      expect((await me(await token({ scope }))).json()).toMatchObject({ scopes: [], isAdmin: false });
    }
  });

  it('is never the owner, whoever it is for', async () => {
    expect((await me(await token({ sub: 'owner' }))).json()).toMatchObject({ userId: 'jwt:owner', isAdmin: false });
    expect((await me(KEY)).json()).toMatchObject({ userId: 'owner' });
  });

  it('that is expired, early, of another issuer, for another audience or signed by a stranger is 401 (case 1)', async () => {
    const skew = limits.token_skew / 1000;
    const wrong: [string, string][] = [
      ['expired', await token({ exp: seconds() - skew - 1 })],
      ['early', await token({ nbf: seconds() + skew + 5 })],
      ['issuer', await token({ iss: 'https://evil.example' })],
      ['audience', await token({ aud: 'another-service' })],
      ['signature', await token({}, stranger)],
      ['unknown key', await token({}, stranger, 'k2')],
      ['no user', await token({ sub: '' })],
      ['a number as user', await token({ sub: 7 })],
      ['altered', (await token()).replace(/\.[^.]+\./, `.${Buffer.from('{"sub":"bob"}').toString('base64url')}.`)],
      ['cut', (await token()).slice(0, -4)],
    ];
    for (const [name, key] of wrong) {
      const refused = await me(key);
      expect([name, refused.status]).toEqual([name, 401]);
      expect(refused.json()).toMatchObject({ code: 'unauthorized', message: 'this key is not valid' });
    }
    expect(host.session.submitted).toEqual([]);
    expect(failures).toEqual([]);
  });

  it('without a signature, or with one that a shared secret made, is 401 (case 1)', async () => {
    const claims = { sub: 'alice', iss: issuer, aud: audience, exp: seconds() + 300, scope: 'rostra:admin' };
    const none = new UnsecuredJWT(claims).encode();
    const secret = Buffer.from(answer.body);
    const shared = await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(secret);
    for (const key of [none, `${none}x`, shared]) expect((await me(key)).status).toBe(401);
  });

  it('without an end is 401', async () => {
    const claims = { sub: 'alice', iss: issuer, aud: audience, scope: 'rostra:runs' };
    const key = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k1' }).sign(pair.privateKey);
    expect((await me(key)).status).toBe(401);
  });

  it('keeps streams open as long as the last one that was shown is valid', async () => {
    await me(await token({ exp: seconds() + 100 }));
    await me(await token({ exp: seconds() + 50 }));
    const ended: string[] = [];
    host.access.watch((id) => ended.push(id));
    host.clock.advance(99_000 + limits.token_skew);
    expect([host.access.isValid('jwt:alice'), ended]).toEqual([true, []]);
    host.clock.advance(1_000);
    expect([host.access.isValid('jwt:alice'), ended]).toEqual([false, ['jwt:alice']]);
  });

  it('does not make login links: whoever comes with one logs in where they got it', async () => {
    expect((await host.ask('POST', '/api/v1/login-links', { key: await token() })).status).toBe(422);
  });
});

describe('keys that cannot be read', () => {
  it.each<[string, () => void]>([
    ['an error', () => (answer = { status: 500, body: '' })],
    ['an address elsewhere', () => (answer = { status: 302, body: '' })],
    ['too much', () => (answer = { status: 200, body: `{"keys":[]${' '.repeat(limits.jwks_bytes)}}` })],
    ['no JSON', () => (answer = { status: 200, body: '<html>' })],
  ])('because the answer is %s make 503, and are not asked for again and again', async (_name, go) => {
    go();
    const key = await token();
    for (let n = 0; n < 3; n += 1) {
      const refused = await me(key);
      expect([refused.status, refused.json().message]).toEqual([503, 'tokens cannot be checked at the moment']);
    }
    expect(asked).toBe(1);
    expect(failures).toHaveLength(3);
    expect((await me(KEY)).status).toBe(200);
  });

  it('are asked for again after a while', async () => {
    const { body } = answer;
    answer = { status: 500, body: '' };
    expect((await me(await token())).status).toBe(503);
    answer = { status: 200, body };
    host.clock.advance(limits.jwks_cooldown);
    expect((await me(await token())).status).toBe(200);
  });
});

describe('keys in a file of the owner’s', () => {
  it('prove tokens too, as soon as the file is there', async () => {
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'rostra-keys-')), 'keys.json');
    const { body } = answer;
    await host.stop();
    host = await TestHost.start({}, {}, [], {
      tokens: (clock) =>
        new TokenVerifier({
          config: JwtConfig.parse({ issuer, audience, jwks_file: file, everyone: ['events'], user_claim: 'email' }),
          keys: new FileKeySet(file),
          workspace_id: 'local',
          clock,
          failed: (error) => failures.push(error),
        }),
    });
    const key = await token({ email: 'alice@example.com' });
    expect((await me(key)).status).toBe(503);
    expect(failures).toMatchObject([{ code: 'ENOENT' }]);
    writeFileSync(file, body);
    expect((await me(key)).json()).toMatchObject({ userId: 'jwt:alice@example.com', scopes: ['events', 'runs'] });
    expect(asked).toBe(0);
    rmSync(path.dirname(file), { recursive: true });
  });
});
