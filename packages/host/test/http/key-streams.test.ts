import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { MadeKey } from '@rostra/protocol/run-api/key';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TurnRow } from '../../src/store/port.ts';
import { KEY, RUNS, TestHost, threadId } from './test-host.ts';

let host: TestHost;
let turn: TurnRow;
let open: ClientRequest[];

beforeEach(async () => {
  host = await TestHost.start();
  turn = host.session.addTurn(threadId, 't1');
  host.session.start(turn);
  open = [];
});
afterEach(async () => {
  for (const req of open) req.destroy();
  await host.stop();
});

async function make(streams: number): Promise<MadeKey> {
  const body = JSON.stringify({ name: 'x', scopes: ['runs'], streams });
  const headers = { 'content-type': 'application/json' };
  return (await host.ask('POST', '/api/v1/keys', { headers, body })).json() as unknown as MadeKey;
}

/** A stream that nobody ends. */
function follow(key: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const req = request({ port: host.port, host: '127.0.0.1', path: `${RUNS}/t1/events`, headers, agent: false });
    open.push(req);
    req.on('response', (res) => resolve(res.resume()));
    req.on('error', reject);
    req.end();
  });
}

describe('streams of a key', () => {
  it('are no more at a time than it may have; one that ends makes room (case 28)', async () => {
    const { key } = await make(2);
    expect((await follow(key)).statusCode).toBe(200);
    expect((await follow(key)).statusCode).toBe(200);
    const refused = await host.ask('GET', `${RUNS}/t1/events`, { key });
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('1');
    expect(refused.json()).toMatchObject({ code: 'rate_limited', message: 'this key may have 2 streams open' });
    open[0]?.destroy();
    await vi.waitFor(async () => expect((await follow(key)).statusCode).toBe(200));
    for (let n = 0; n < 25; n += 1) expect((await follow(KEY)).statusCode).toBe(200);
  });

  it('leave no room for a run that is to be streamed: it is refused, and has not begun', async () => {
    const { key } = await make(1);
    expect((await follow(key)).statusCode).toBe(200);
    const body = JSON.stringify({ threadId, runId: 'r', messages: [{ id: 'u', role: 'user', content: 'hello' }] });
    const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
    for (const path of [RUNS, '/api/v1/agent/agui', '/api/v1/agents/guide/agui']) {
      const refused = await host.ask('POST', path, { key, headers, body });
      expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    }
    expect(host.session.submitted).toEqual([]);
  });

  it('have their room back when a run that was to be streamed is refused for something else', async () => {
    const { id, key } = await make(1);
    const headers = { 'content-type': 'application/json' };
    host.session.refusal = new ApiError('invalid_argument', 'no');
    for (let n = 0; n < 3; n += 1) {
      const body = JSON.stringify({ threadId, runId: `r${n}`, messages: [{ id: 'u', role: 'user', content: 'x' }] });
      expect((await host.ask('POST', '/api/v1/agent/agui', { key, headers, body })).status).toBe(422);
      await vi.waitFor(() => expect(host.access.streams.of(`key:${id}`)).toBe(0));
    }
  });

  it('are cut when it is revoked, and those of others go on (case 76)', async () => {
    const made = await make(5);
    const mine = [await follow(made.key), await follow(made.key)];
    const owners = await follow(KEY);
    const ended = Promise.all(mine.map((res) => new Promise((resolve) => res.once('close', () => resolve(null)))));
    await host.ask('DELETE', `/api/v1/keys/${made.id}`);
    await ended;
    expect(owners.closed).toBe(false);
    expect((await host.ask('GET', `${RUNS}/t1/events`, { key: made.key })).status).toBe(401);
  });
});

describe('a wait for the end of a run', () => {
  const wait = (key: string) => host.ask('GET', `${RUNS}/t1/wait?timeout=30`, { key });

  it('takes the place of a stream, and gives it back', async () => {
    const { id, key } = await make(2);
    const waiting = wait(key);
    await vi.waitFor(() => expect(host.access.streams.of(`key:${id}`)).toBe(1));
    expect((await follow(key)).statusCode).toBe(200);
    const refused = await wait(key);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    host.clock.advance(30_000);
    expect((await waiting).status).toBe(202);
    expect(host.access.streams.of(`key:${id}`)).toBe(1);
    host.session.announce([host.session.end(turn)]);
    // Of a run that has ended nobody waits.
    await vi.waitFor(async () => expect((await wait(key)).status).toBe(200));
  });

  it('ends with 401 when its key is revoked, and those of others go on', async () => {
    const [made, other] = [await make(2), await make(2)];
    const mine = wait(made.key);
    const others = wait(other.key);
    const waits = () => [made, other].map(({ id }) => host.access.streams.of(`key:${id}`));
    await vi.waitFor(() => expect(waits()).toEqual([1, 1]));
    await host.ask('DELETE', `/api/v1/keys/${made.id}`);
    const answer = await mine;
    expect([answer.status, answer.json().message]).toEqual([401, 'this key is not valid any more']);
    expect(waits()).toEqual([0, 1]);
    host.clock.advance(30_000);
    expect((await others).status).toBe(202);
  });
});
