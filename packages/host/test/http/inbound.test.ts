import { limits } from '@rostra/protocol/wire/limits';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestHost } from './test-host.ts';

let host: TestHost;
beforeEach(async () => {
  host = await TestHost.start();
});
afterEach(() => host.stop());

const EVENTS = '/api/v1/events';
const json = { 'content-type': 'application/json' };
const event = { event_id: 'e1', event_type: 'member.joined', source: 'telegram' };
const send = (body: unknown, headers: Record<string, string> = json) =>
  host.ask('POST', EVENTS, { headers, body: typeof body === 'string' ? body : JSON.stringify(body) });

describe('POST /api/v1/events', () => {
  it('answers 202 with the event, its session and its task, and where that is found', async () => {
    const answer = await send({ event });
    expect(answer.status).toBe(202);
    expect(answer.json()).toEqual({
      event_id: 'e1',
      session_id: 's',
      task_id: 't',
      agent_id: 'guide',
      created: '2026-01-01T00:00:00.000Z',
    });
    expect(answer.headers.location).toBe('/api/v1/agent/runs/t');
    expect(host.entries.events[0]).toMatchObject({
      principal: { workspace_id: 'local', user_id: 'owner' },
      submission: { event: { ...event, event_time: null, data: {} }, conversation: null, actor: null, input: null },
    });
  });

  it.each<[string, unknown, string]>([
    ['no event', {}, 'event'],
    ['no id', { event: { ...event, event_id: '' } }, 'event.event_id'],
    ['an id that is too long', { event: { ...event, event_id: 'x'.repeat(257) } }, 'event.event_id'],
    ['a type that is none', { event: { ...event, event_type: 7 } }, 'event.event_type'],
    ['a reference that only the host gives', { event: { ...event, raw_ref: { artifact_id: 'a' } } }, 'event.raw_ref'],
    ['an actor without a type', { event, actor: {} }, 'actor.actor_type'],
    ['an unknown key', { event, adapter: {} }, ''],
    ['a key that reaches a prototype', `{"event":{"data":{"__proto__":{}}}}`, 'event.data.__proto__'],
    ['an array', [], ''],
  ])('refuses %s with 422 and the place', async (_name, body, path) => {
    const answer = await send(body);
    expect(answer.status).toBe(422);
    expect(answer.json()).toMatchObject({ code: 'invalid_argument', details: { path } });
    expect(host.entries.events).toEqual([]);
  });

  it('refuses what is no JSON, deeper, larger or otherwise packed than it reads', async () => {
    expect((await send('{')).status).toBe(400);
    expect((await send({ event }, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send({ event }, { ...json, 'content-encoding': 'gzip' })).status).toBe(415);
    const deep = `{"event":${'['.repeat(40)}${']'.repeat(40)}}`;
    expect((await send(deep)).status).toBe(422);
    const nodes = `{"event":[${'0,'.repeat(limits.json_nodes)}0]}`;
    expect((await send(nodes)).status).toBe(422);
  });

  it.each([
    [0, 202],
    [1, 413],
  ])('with a body of its limit and %i bytes more is %i', async (over, status) => {
    const empty = JSON.stringify({ event, raw: '' });
    const raw = 'x'.repeat(limits.event_body_bytes - empty.length + over);
    expect((await send({ event, raw })).status).toBe(status);
  });

  it('is 405 by any other method, and 503 while the host goes down', async () => {
    expect((await host.ask('GET', EVENTS)).status).toBe(405);
    host.draining = true;
    expect((await send({ event })).status).toBe(503);
  });
});

describe('POST /api/v1/hooks/{id}', () => {
  const deliver = (body: string | Buffer, headers: Record<string, string>) =>
    host.ask('POST', '/api/v1/hooks/x', { key: null, headers, body });

  it('needs no key, takes the bytes as they are, and tells little', async () => {
    const answer = await deliver(Buffer.from([0, 1, 255]), { 'x-rostra-signature': 't=1,v1=x', 'content-type': 'a/b' });
    expect([answer.status, answer.json()]).toEqual([202, { event_id: 'webhook:x', task_id: 't' }]);
    expect(host.entries.deliveries).toEqual([
      { id: 'x', delivery: { signature: 't=1,v1=x', content_type: 'a/b', body: Buffer.from([0, 1, 255]) } },
    ]);
  });

  it('is 401 for what is not proved, whatever key comes with it (case 74)', async () => {
    for (const key of [null, 'rostra_test-key-0123456789']) {
      const answer = await host.ask('POST', '/api/v1/hooks/x', { key, body: '{}' });
      expect(answer.status).toBe(401);
      expect(answer.json()).toMatchObject({
        code: 'unauthorized',
        message: 'this delivery is not signed for this host',
      });
    }
  });

  it('is 413 beyond its limit, 415 when compressed, 405 by another method', async () => {
    expect((await deliver('x'.repeat(limits.webhook_body_bytes + 1), {})).status).toBe(413);
    expect((await deliver('x', { 'content-encoding': 'gzip' })).status).toBe(415);
    expect((await host.ask('GET', '/api/v1/hooks/x', { key: null })).status).toBe(405);
  });
});
