import type { StateIdentity } from '@rostra/kernel/state/state-identity';
import { limits } from '@rostra/protocol/wire/limits';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';

export function stateScope(change: Partial<StateIdentity> = {}): StateIdentity {
  return {
    scope: 'actor',
    workspace_id: 'w',
    runner_id: 'demo',
    agent_id: 'guide',
    bot_id: null,
    scope_id: 'user-1',
    session_id: null,
    ...change,
  };
}

/** The contract of state (RP-7.23, RP-7.25). */
export function describeState(open: () => Promise<HostStore>): void {
  describe('state', () => {
    let store: HostStore;
    beforeAll(async () => {
      store = await open();
    });

    it('sets, gets, replaces and deletes', async () => {
      const scope = stateScope({ scope_id: 'round' });
      expect(await store.state.get(scope, 'a')).toBeNull();
      await store.state.set(scope, 'a', { n: [1, null, 'ü'] }, 5);
      expect(await store.state.get(scope, 'a')).toEqual({ key: 'a', value: { n: [1, null, 'ü'] }, updated_at: 5 });
      await store.state.set(scope, 'a', null, 6);
      expect(await store.state.get(scope, 'a')).toEqual({ key: 'a', value: null, updated_at: 6 });
      expect(await store.state.delete(scope, 'a')).toBe(true);
      expect(await store.state.delete(scope, 'a')).toBe(false);
      expect(await store.state.get(scope, 'a')).toBeNull();
    });

    it.each<[string, Partial<StateIdentity>]>([
      ['scope', { scope: 'subject' }],
      ['workspace', { workspace_id: 'x' }],
      ['runner', { runner_id: 'x' }],
      ['agent', { agent_id: 'x' }],
      ['bot', { bot_id: 'x' }],
      ['identity', { scope_id: 'x' }],
      ['session', { session_id: 'x' }],
    ])('another %s sees nothing', async (_, change) => {
      const scope = stateScope({ scope_id: 'apart' });
      await store.state.set(scope, 'secret', 1, 1);
      const other = { ...scope, ...change };
      expect(await store.state.get(other, 'secret')).toBeNull();
      expect(await store.state.list(other)).toEqual([]);
      expect(await store.state.snapshot(other, 1000)).toEqual({ rows: [], omitted: 0 });
    });

    it('two first writes at once make one row', async () => {
      const scope = stateScope({ scope_id: 'race' });
      await Promise.all([store.state.set(scope, 'k', 1, 1), store.state.set(scope, 'k', 2, 2)]);
      expect(await store.state.list(scope)).toHaveLength(1);
    });

    it('lists keys by prefix, sorted, in pages; no character is a wildcard', async () => {
      const scope = stateScope({ scope_id: 'list' });
      for (const key of ['b', 'a%c', 'a_b', 'a', 'ab', 'é']) await store.state.set(scope, key, 0, 1);
      const keys = (page: Parameters<typeof store.state.list>[1]) => store.state.list(scope, page);
      expect(await keys({})).toEqual(['a', 'a%c', 'a_b', 'ab', 'b', 'é']);
      expect(await keys({ prefix: 'a' })).toEqual(['a', 'a%c', 'a_b', 'ab']);
      expect(await keys({ prefix: 'a%' })).toEqual(['a%c']);
      expect(await keys({ prefix: 'a_' })).toEqual(['a_b']);
      expect(await keys({ after: 'a_b', limit: 2 })).toEqual(['ab', 'b']);
      expect(await keys({ prefix: 'a', after: 'a%c', limit: 1 })).toEqual(['a_b']);
    });

    it('knows whether an agent has anything under a kind of scope, whatever its identity', async () => {
      const place = { scope: 'subject', workspace_id: 'w', runner_id: 'demo', agent_id: 'any', bot_id: null } as const;
      const row = stateScope({ ...place, scope_id: 'x' });
      expect(await store.state.any(place)).toBe(false);
      await store.state.set(row, 'k', 1, 1);
      expect(await store.state.any(place)).toBe(true);
      for (const change of [{ agent_id: 'an' }, { bot_id: 'b' }, { scope: 'actor' as const }, { runner_id: 'd' }]) {
        expect(await store.state.any({ ...place, ...change })).toBe(false);
      }
      await store.state.delete(row, 'k');
      expect(await store.state.any(place)).toBe(false);
    });

    it('a snapshot holds the newest values, and counts those that do not fit', async () => {
      const scope = stateScope({ scope_id: 'snapshot' });
      for (let n = 1; n <= 5; n += 1) await store.state.set(scope, `k${n}`, 'x'.repeat(96), n);
      const { rows, omitted } = await store.state.snapshot(scope, 320);
      expect(rows.map(({ key }) => key)).toEqual(['k5', 'k4', 'k3']);
      expect(omitted).toBe(2);
      expect(await store.state.snapshot(scope, 10_000)).toMatchObject({ omitted: 0 });
    });

    it.each([
      ['no key', '', 1, 'BAD_KEY'],
      ['a key over its bytes', 'é'.repeat(limits.state_key_bytes / 2 + 1), 1, 'BAD_KEY'],
      ['a key that is none of an object’s own', '__proto__', 1, 'BAD_KEY'],
      ['a key with a line in it', 'a\nb', 1, 'BAD_KEY'],
      ['a value over its bytes', 'k', 'x'.repeat(limits.state_value_bytes - 1), 'VALUE_TOO_LARGE'],
    ])('refuses %s', async (_, key, value, reason) => {
      await expect(store.state.set(stateScope(), key, value, 1)).rejects.toMatchObject({ details: { reason } });
    });

    it('takes the longest key and the largest value', async () => {
      const scope = stateScope({ scope_id: 'edge' });
      const key = 'k'.repeat(limits.state_key_bytes);
      const value = 'x'.repeat(limits.state_value_bytes - 2);
      await store.state.set(scope, key, value, 1);
      expect((await store.state.get(scope, key))?.value).toBe(value);
    });

    it(`holds ${limits.state_keys} keys per scope and no more`, async () => {
      const scope = stateScope({ scope_id: 'many' });
      const sets = Array.from({ length: limits.state_keys }, (_, n) => store.state.set(scope, `k${n}`, n, 1));
      await Promise.all(sets);
      await expect(store.state.set(scope, 'one more', 1, 1)).rejects.toMatchObject({
        code: 'payload_too_large',
        details: { reason: 'TOO_MANY_KEYS' },
      });
      await store.state.set(scope, 'k7', 'replaced', 2);
      await store.state.delete(scope, 'k8');
      await store.state.set(scope, 'one more', 1, 1);
    });
  });
}
