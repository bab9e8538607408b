import { once } from 'node:events';
import { limits } from '@rostra/protocol/wire/limits';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { TurnRow } from '../../src/store/port.ts';
import { KEY, RUNS, TestHost, threadId } from './test-host.ts';

const EVENTS = `/api/v1/sessions/${threadId}/events`;

let host: TestHost;
let turn: TurnRow;
beforeEach(async () => {
  host = await TestHost.start();
  turn = host.session.addTurn(threadId, 't1');
});
afterEach(async () => {
  await host.stop();
  expect(host.reported).toEqual([]);
});

async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; !condition(); n += 1) {
    if (n > 5_000) throw new Error('it did not happen');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Reads a stream that never ends until it has so many frames. */
async function read(path: string, frames: number, headers: Record<string, string> = {}): Promise<string> {
  const abort = new AbortController();
  const response = await fetch(`http://127.0.0.1:${host.port}${path}`, {
    headers: { authorization: `Bearer ${KEY}`, ...headers },
    signal: abort.signal,
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.split('\n\n').length <= frames) text += (await reader?.read())?.value ?? '';
  abort.abort();
  return text;
}

/** A websocket, and all that came over it. */
class Client {
  readonly notices: Record<string, unknown>[] = [];
  readonly texts: string[] = [];
  readonly socket: WebSocket;
  closed: number | null = null;

  constructor(headers: Record<string, string> = { authorization: `Bearer ${KEY}` }) {
    this.socket = new WebSocket(`ws://127.0.0.1:${host.port}/api/v1/socket`, { headers });
    this.socket.on('message', (data) => {
      this.texts.push(data.toString());
      this.notices.push(JSON.parse(data.toString()));
    });
    this.socket.on('close', (code) => {
      this.closed = code;
    });
    this.socket.on('error', () => undefined);
  }

  static async open(): Promise<Client> {
    const client = new Client();
    await once(client.socket, 'open');
    return client;
  }

  say(command: object): void {
    this.socket.send(JSON.stringify(command));
  }
}

describe('GET /api/v1/sessions/{sessionId}/events', () => {
  it('tells every message that the session published, over all runs, without what only the host needs', async () => {
    const { session } = host;
    const second = session.addTurn(threadId, 't2');
    session.start(turn);
    session.add(turn, 'EVENT', 'CANCEL_SENT', { agent_id: 'guide' } as never, 'SYSTEM');
    session.end(turn);
    session.start(second);
    const text = await read(EVENTS, 3);
    const frames = text.trimEnd().split('\n\n');
    expect(frames.map((frame) => frame.split('\n')[0])).toEqual(['id: 1.0.1', 'id: 3.0.1', 'id: 4.0.1']);
    expect(JSON.parse(frames[0]?.split('\ndata: ')[1] ?? '')).toEqual({
      id: 'x:1',
      session_id: threadId,
      seq: 1,
      event: 'EVENT',
      subtype: 'TURN_DISPATCHED',
      sender: { kind: 'session', id: threadId },
      target: 'FRONTEND',
      turn_id: 't1',
      ts: 1_700_000_000_001,
      epoch: 1,
      payload: { agent_id: 'guide', run_id: 'r.1', client_run_id: 'run-1' },
    });
  });

  it('goes on after an id, from the header before the url, and leaves out what stands before `from`', async () => {
    const { session } = host;
    session.start(turn);
    for (let n = 1; n <= 8; n += 1) session.chunk(turn, n);
    for (const tailFrom of [1, Number.POSITIVE_INFINITY]) {
      session.tailFrom = tailFrom;
      const whole = await read(EVENTS, 9);
      const after = whole.slice(whole.indexOf('id: 5.0.1'));
      expect(await read(`${EVENTS}?after=4.0.1`, 5)).toBe(after);
      expect(await read(`${EVENTS}?after=1.0.1`, 5, { 'last-event-id': '4.0.1' })).toBe(after);
      expect(await read(`${EVENTS}?from=5`, 5)).toBe(after);
    }
  });

  it.each([
    ['5.0.999', '4.0.1'],
    ['77.0.1', '4.0.1'],
    ['2.1.1', '2.0.1'],
  ])('answers %s, which is not in the log, with 409 and the last id that is: %s (case 29)', async (id, last) => {
    const { session } = host;
    session.start(turn);
    for (let n = 1; n <= 3; n += 1) session.chunk(turn, n);
    for (const tailFrom of [1, Number.POSITIVE_INFINITY]) {
      session.tailFrom = tailFrom;
      const answer = await host.ask('GET', EVENTS, { headers: { 'last-event-id': id } });
      expect(answer.status).toBe(409);
      expect(answer.json().details).toMatchObject({ reason: 'cursor_reset', last_event_id: last });
    }
    expect(host.http.hub.streams).toBe(0);
  });

  it.each(['-1', '1e309', '5.0', '1.0.1.1'])('refuses %s, which is no id, with 422 (case 29)', async (id) => {
    const answer = await host.ask('GET', EVENTS, { headers: { 'last-event-id': id } });
    expect([answer.status, answer.json().message]).toEqual([422, 'this is no event id']);
  });

  it('answers a session of somebody else as one that never was (case 29)', async () => {
    const unknown = await host.ask('GET', '/api/v1/sessions/550e8400-e29b-41d4-a716-446655440999/events');
    host.session.foreign.add(threadId);
    const foreign = await host.ask('GET', EVENTS);
    expect([unknown.status, foreign.status, foreign.text]).toEqual([404, 404, unknown.text]);
  });
});

describe('GET …/wait', () => {
  it('answers 200 with the end of the run once it has come', async () => {
    host.session.start(turn);
    const waiting = host.ask('GET', `${RUNS}/t1/wait`);
    await until(() => host.bus.followed === 1);
    host.session.announce([host.session.end(turn)]);
    const answer = await waiting;
    expect([answer.status, answer.json().status]).toEqual([200, 'completed']);
    expect([host.bus.followed, host.clock.armed]).toEqual([0, 0]);
    expect((await host.ask('GET', `${RUNS}/t1/wait?timeout=0`)).status).toBe(200);
  });

  it('answers 202 when the run goes on after that time', async () => {
    host.session.start(turn);
    const waiting = host.ask('GET', `${RUNS}/t1/wait?timeout=30`);
    await until(() => host.bus.followed === 1);
    host.clock.advance(29_999);
    expect(host.bus.followed).toBe(1);
    host.clock.advance(1);
    const answer = await waiting;
    expect([answer.status, answer.json().status]).toEqual([202, 'running']);
  });

  it.each(['-1', '61', 'x', '1e9'])('refuses to wait %s seconds', async (timeout) => {
    expect((await host.ask('GET', `${RUNS}/t1/wait?timeout=${timeout}`)).status).toBe(422);
  });

  it('nothing waits for a client that went away', async () => {
    const abort = new AbortController();
    const url = `http://127.0.0.1:${host.port}${RUNS}/t1/wait`;
    const waiting = fetch(url, { headers: { authorization: `Bearer ${KEY}` }, signal: abort.signal });
    await until(() => host.bus.followed === 1);
    abort.abort();
    await expect(waiting).rejects.toThrow('abort');
    await until(() => host.bus.followed === 0);
    expect(host.clock.armed).toBe(0);
  });
});

describe('WS /api/v1/socket', () => {
  it('carries the bytes and ids of the session stream, after the cursor that each subscription names', async () => {
    const { session } = host;
    session.start(turn);
    for (let n = 1; n <= 3; n += 1) session.chunk(turn, n);
    const frames = (await read(`${EVENTS}?after=2.0.1`, 2)).trimEnd().split('\n\n');
    const client = await Client.open();
    client.say({ type: 'subscribe', session_id: threadId, after: '2.0.1', ref: 'a' });
    await until(() => client.notices.length === 3);
    expect(client.notices[0]).toEqual({ type: 'subscribed', session_id: threadId, format: 'messages', ref: 'a' });
    const expected = frames.map((frame) => {
      const [id, data] = frame.split('\n').map((line) => line.slice(line.indexOf(': ') + 2));
      return `{"type":"event","session_id":"${threadId}","format":"messages","id":"${id}","data":${data}}`;
    });
    expect(client.texts.slice(1)).toEqual(expected);
    session.announce([session.chunk(turn, 4), session.chunk(turn, 5)]);
    await until(() => client.notices.length === 5);
    expect(client.notices.map(({ id }) => id)).toEqual([undefined, '3.0.1', '4.0.1', '5.0.1', '6.0.1']);
    client.say({ type: 'unsubscribe', session_id: threadId });
    await until(() => host.http.hub.streams === 0);
    session.announce([session.chunk(turn, 6)]);
    await until(() => client.notices.length === 6);
    expect(client.notices.at(-1)).toMatchObject({ type: 'unsubscribed' });
    client.socket.terminate();
  });

  it('says that a session is not followed any more when it is deleted, and stays open', async () => {
    const client = await Client.open();
    for (const format of ['messages', 'agui']) client.say({ type: 'subscribe', session_id: threadId, format });
    await until(() => host.http.hub.streams === 2);
    client.notices.length = 0;
    host.http.hub.closeSession(threadId);
    expect(host.http.hub.streams).toBe(0);
    client.say({ type: 'unsubscribe', session_id: threadId, ref: 'a' });
    await until(() => client.notices.at(-1)?.ref === 'a');
    const gone = { type: 'unsubscribed', session_id: threadId };
    expect(client.notices.filter(({ type }) => type !== 'subscribed')).toEqual([
      { ...gone, format: 'messages' },
      { ...gone, format: 'agui' },
      { ...gone, format: 'messages', ref: 'a' },
    ]);
    client.socket.terminate();
  });

  it('hands on messages and answers what the session decided, or its refusal', async () => {
    const client = await Client.open();
    const message = { event: 'CONTROL', subtype: 'CANCEL', id: 'm1', payload: {} };
    client.say({ type: 'send', session_id: threadId, message, ref: '1' });
    await until(() => client.notices.length === 1);
    expect(client.notices[0]).toEqual({
      type: 'sent',
      session_id: threadId,
      ref: '1',
      result: { session_id: threadId, message },
    });
    client.say({ type: 'subscribe', session_id: 'elsewhere', ref: '2' });
    client.say({ type: 'dance' });
    client.say({ type: 'subscribe', session_id: threadId, after: '9.0.1', ref: '4' });
    await until(() => client.notices.length === 4);
    expect(client.notices.slice(1).map(({ error, ref }) => [ref, error])).toMatchObject([
      ['2', { code: 'not_found', message: 'there is no such session' }],
      [undefined, { code: 'invalid_argument' }],
      ['4', { code: 'invalid_argument', details: { reason: 'cursor_reset' } }],
    ]);
    expect(host.http.hub.streams).toBe(0);
    client.socket.terminate();
  });

  it('writes down every command that it refuses, as any request is: who asked, for what, and why', async () => {
    const client = await Client.open();
    client.say({ type: 'subscribe', session_id: 'else/where' });
    client.say({ type: 'dance' });
    await until(() => client.notices.length === 2);
    const by = { actor: 'user:owner', action: 'http.socket' };
    expect(host.audit).toMatchObject([
      { ...by, resource: '/api/v1/sessions/else%2Fwhere', result: 'not_found', details: { status: 404 } },
      { ...by, resource: '/api/v1/socket', result: 'invalid_argument', details: { status: 422, credential: 'owner' } },
    ]);
    client.socket.terminate();
  });

  it('refuses a command with a key that reaches a prototype, as any body with one is refused', async () => {
    const sent: unknown[] = [];
    host.send = async (...said) => {
      sent.push(said);
      return {};
    };
    const client = await Client.open();
    const message = '{"id":"m","event":"USER_INPUT","payload":{"input":{"text":"hi"},"__proto__":{"is_admin":true}}}';
    client.socket.send(`{"type":"send","session_id":"${threadId}","ref":"1","message":${message}}`);
    await until(() => client.notices.length === 1);
    expect(client.notices).toMatchObject([
      {
        type: 'refused',
        error: { code: 'invalid_argument', details: { path: 'message.payload.__proto__' } },
      },
    ]);
    expect(sent).toEqual([]);
    client.socket.terminate();
  });

  it('is refused before it is one: without a key, with a wrong one, from a foreign page', async () => {
    const refusals: unknown[] = [];
    const headers = [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Bearer ${KEY}`, origin: 'https://evil.example' },
    ];
    for (const each of headers) {
      const { socket } = new Client(each as Record<string, string>);
      const [, response] = await once(socket, 'unexpected-response');
      refusals.push(response.statusCode);
      response.destroy();
    }
    expect(refusals).toEqual([401, 401, 403]);
    expect((await host.ask('GET', '/api/v1/socket')).status).toBe(426);
  });

  it('is cut when its key is revoked, with all that it follows (case 76)', async () => {
    const owner = await host.access.find(KEY);
    if (owner === null) throw new Error('the owner is known');
    const { id, key } = await host.access.createKey(
      { name: 'guest', scopes: ['runs'], streams: 20, runsPerMinute: 60 },
      owner,
    );
    const client = new Client({ authorization: `Bearer ${key}` });
    await once(client.socket, 'open');
    client.say({ type: 'subscribe', session_id: threadId });
    await until(() => client.notices.length === 1);
    expect(host.access.streams.of(`key:${id}`)).toBe(2);
    await host.access.revokeKey(id, owner);
    await until(() => client.closed !== null);
    expect([host.http.hub.streams, host.access.streams.of(`key:${id}`)]).toEqual([0, 0]);
  });

  it('that never was one gives its place back', async () => {
    const owner = await host.access.find(KEY);
    if (owner === null) throw new Error('the owner is known');
    const guest = { name: 'guest', scopes: ['runs' as const], streams: 2, runsPerMinute: 60 };
    const { id, key } = await host.access.createKey(guest, owner);
    const headers = { authorization: `Bearer ${key}`, connection: 'Upgrade', upgrade: 'websocket' };
    for (let n = 0; n < 3; n += 1) {
      expect((await host.ask('GET', '/api/v1/socket', { key: null, headers })).status).toBe(400);
      await until(() => host.access.streams.of(`key:${id}`) === 0);
    }
  });

  it('is closed for binary and for more commands at once than it may have waiting', async () => {
    const first = await Client.open();
    first.socket.send(Buffer.from('{}'));
    await until(() => first.closed !== null);
    const second = await Client.open();
    host.send = () => new Promise(() => undefined);
    const command = JSON.stringify({ type: 'send', session_id: threadId, message: {} });
    for (let n = 0; n <= limits.socket_waiting; n += 1) second.socket.send(command);
    await until(() => second.closed !== null);
    expect([first.closed, second.closed]).toEqual([1003, 1008]);
  });

  it('is not cut because one subscription catches up while another goes on', async () => {
    const { session } = host;
    session.add(turn, 'EVENT', 'TURN_ACCEPTED', {
      agent_id: 'guide',
      state: 'dispatched',
      parent_turn_id: null,
      client_run_id: 'run-1',
    });
    session.start(turn);
    session.announce([session.chunk(turn, 1, 'x'.repeat(8_000_000))]);
    const client = await Client.open();
    client.say({ type: 'subscribe', session_id: threadId });
    await until(() => client.texts.some((text) => text.length > 8_000_000));
    client.socket.pause();
    client.say({ type: 'subscribe', session_id: threadId, format: 'agui' });
    await until(() => host.http.hub.streams === 2);
    await new Promise((resolve) => setImmediate(resolve));
    session.announce([session.chunk(turn, 2, 'news')]);
    client.socket.resume();
    await until(() => client.texts.filter((text) => text.includes('news')).length === 2);
    expect([client.closed, host.http.hub.streams]).toEqual([null, 2]);
    client.socket.terminate();
  });

  it('is terminated when it takes or answers nothing', async () => {
    const client = await Client.open();
    client.say({ type: 'subscribe', session_id: threadId });
    await until(() => client.notices.length === 1);
    client.socket.pause();
    const { session } = host;
    let n = 0;
    while (host.http.hub.streams > 0 && n < 1_000) {
      session.announce([session.chunk(turn, ++n, 'x'.repeat(100_000))]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(host.http.hub.streams).toBe(0);
    expect(n).toBeLessThan(1_000);
    const silent = await Client.open();
    silent.socket.pause();
    host.clock.advance(limits.sse_ping);
    host.clock.advance(limits.sse_ping);
    silent.socket.resume();
    await until(() => silent.closed !== null);
  });
});
