import { KeyScope } from '@rostra/protocol/config/entry-config';
import { limits } from '@rostra/protocol/wire/limits';
import { afterEach, describe, expect, it } from 'vitest';
import { RUNS, run, TestHost } from './test-host.ts';

let host: TestHost;
afterEach(() => host.stop());

const EVENTS = '/api/v1/events';
const keys = KeyScope.options.map((scope) => ({
  name: `for-${scope}`,
  key: `key-of-scope-${scope}-0123`,
  scopes: [scope],
}));
const keyOf = (scope: string) => `key-of-scope-${scope}-0123`;
const json = { 'content-type': 'application/json' };
const event = { event: { event_id: 'e1', event_type: 'member.joined', source: 'telegram' } };

/** Each door, the scope that opens it, and what it answers to whoever has that. */
const doors: [method: string, path: string, scope: KeyScope, status: number, body?: object][] = [
  ['POST', RUNS, 'runs', 202, run()],
  ['GET', `${RUNS}/none`, 'runs', 404],
  ['GET', `${RUNS}/none/events`, 'runs', 404],
  ['POST', `${RUNS}/none/cancel`, 'runs', 404],
  ['POST', EVENTS, 'events', 202, event],
  ['GET', '/metrics', 'admin', 200],
  ['GET', '/api/v1/nothing', 'admin', 404],
];

describe('a key with scopes', () => {
  it.each(doors)(
    '%s %s needs the scope %s: without it 403 names it, with it %i',
    async (method, path, scope, status, body) => {
      host = await TestHost.start({}, {}, keys);
      const ask = (key: string) => {
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        return host.ask(method, path, { key, headers: json, ...sent });
      };
      for (const other of KeyScope.options.filter((each) => each !== scope)) {
        const answer = await ask(keyOf(other));
        expect([other, answer.status]).toEqual([other, 403]);
        expect(answer.json()).toMatchObject({
          code: 'unauthorized',
          details: { scope, hint: expect.stringContaining(scope) },
        });
      }
      expect(host.session.submitted).toEqual([]);
      expect(host.entries.events).toEqual([]);
      expect((await ask(keyOf(scope))).status).toBe(status);
    },
  );

  it('is somebody of its own in the workspace of the owner, whose key opens everything', async () => {
    host = await TestHost.start({}, {}, keys);
    await host.ask('POST', RUNS, { key: keyOf('runs'), headers: json, body: JSON.stringify(run()) });
    await host.post(run({ runId: 'run-002' }));
    expect(host.session.submitted.map(({ principal }) => principal)).toEqual([
      {
        workspace_id: 'local',
        user_id: 'key:for-runs',
        is_admin: false,
        credential: { id: 'key:for-runs', scopes: ['runs'], streams: 20, runs_minute: 60 },
      },
      {
        workspace_id: 'local',
        user_id: 'owner',
        is_admin: true,
        credential: { id: 'owner', scopes: KeyScope.options, streams: null, runs_minute: null },
      },
    ]);
  });

  it('that is not known is 401 as before', async () => {
    host = await TestHost.start({}, {}, keys);
    for (const key of [`${keyOf('runs')}x`, keyOf('runs').slice(1), keyOf('nothing')]) {
      expect((await host.ask('GET', `${RUNS}/x`, { key })).status).toBe(401);
    }
  });

  it('that the body claims is none (case 78)', async () => {
    host = await TestHost.start({}, {}, keys);
    const headers = { ...json, 'x-scopes': 'admin', 'x-user': 'owner' };
    const body = JSON.stringify({ ...event, scopes: ['admin'], workspace_id: 'other' });
    expect((await host.ask('POST', EVENTS, { key: keyOf('runs'), headers, body })).status).toBe(403);
  });

  it('is one of a bounded number', async () => {
    const many = Array.from({ length: limits.access_keys + 1 }, (_, n) => ({
      name: `k${n}`,
      key: `k${n}`,
      scopes: [],
    }));
    await expect(TestHost.start({}, {}, many)).rejects.toThrow('more keys');
    host = await TestHost.start({}, {}, many.slice(1));
  });
});
