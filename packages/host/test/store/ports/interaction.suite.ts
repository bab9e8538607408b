import { limits } from '@rostra/protocol/wire/limits';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import type { NewInteraction } from '../../../src/store/ports/interaction.ts';

export function newInteraction(interaction_id: string, change: Partial<NewInteraction> = {}): NewInteraction {
  return {
    interaction_id,
    workspace_id: 'w',
    session_id: 's',
    turn_id: 't',
    run_id: 't.1',
    kind: 'approval',
    request: { title: 'May I?' },
    token_hash: 'abc',
    created_at: 1,
    expires_at: 1_000,
    ...change,
  };
}

/** The contract of the inbox. */
export function describeInteractions(open: () => Promise<HostStore>): void {
  describe('interactions', () => {
    let store: HostStore;
    beforeAll(async () => {
      store = await open();
    });
    const yes = (by: string, at: number) => ({ answer: { ok: true }, by, at });

    it('is pending until it is answered, once', async () => {
      await store.interactions.insert(newInteraction('i1'));
      expect(await store.interactions.get('i1')).toEqual({
        ...newInteraction('i1'),
        status: 'pending',
        answer: null,
        answered_by: null,
        resolved_at: null,
      });
      expect(await store.interactions.answer('i1', yes('anna', 5))).toBe('answered');
      expect(await store.interactions.answer('i1', yes('ben', 6))).toBe('too_late');
      expect(await store.interactions.get('i1')).toMatchObject({
        status: 'answered',
        answer: { ok: true },
        answered_by: 'anna',
        resolved_at: 5,
      });
      expect(await store.interactions.answer('nothing', yes('anna', 5))).toBe('unknown');
      expect(await store.interactions.get('nothing')).toBeNull();
    });

    it('of many answers at once exactly one wins', async () => {
      await store.interactions.insert(newInteraction('i2'));
      const answers = Array.from({ length: 20 }, (_, n) => store.interactions.answer('i2', yes(`user ${n}`, 5)));
      const won = (await Promise.all(answers)).filter((result) => result === 'answered');
      expect(won).toHaveLength(1);
    });

    it.each([
      [999, 'answered'],
      [1_000, 'too_late'],
    ] as const)('an answer at %i of 1000 is %s', async (at, result) => {
      await store.interactions.insert(newInteraction(`i3-${at}`));
      expect(await store.interactions.answer(`i3-${at}`, yes('anna', at))).toBe(result);
    });

    it('ends without an answer, and then takes none', async () => {
      await store.interactions.insert(newInteraction('i4'));
      expect(await store.interactions.resolve('i4', 'run_lost', 7)).toBe(true);
      expect(await store.interactions.resolve('i4', 'withdrawn', 8)).toBe(false);
      expect(await store.interactions.answer('i4', yes('anna', 9))).toBe('too_late');
      expect(await store.interactions.get('i4')).toMatchObject({ status: 'run_lost', resolved_at: 7, answer: null });
    });

    it('lists what is pending, newest first, per workspace and session', async () => {
      for (const n of [1, 2, 3]) await store.interactions.insert(newInteraction(`l${n}`, { workspace_id: 'lists' }));
      await store.interactions.insert(newInteraction('l4', { workspace_id: 'lists', session_id: 'other' }));
      await store.interactions.resolve('l2', 'withdrawn', 2);
      const ids = async (filter: object, page?: object) => {
        const { rows, has_more } = await store.interactions.listPending({ workspace_id: 'lists', ...filter }, page);
        return [...rows.map(({ interaction_id }) => interaction_id), has_more];
      };
      expect(await ids({})).toEqual(['l4', 'l3', 'l1', false]);
      expect(await ids({ session_id: 's' })).toEqual(['l3', 'l1', false]);
      expect(await ids({}, { limit: 1 })).toEqual(['l4', true]);
      await store.interactions.resolve('l4', 'withdrawn', 2);
      expect(await ids({}, { before: 'l4' })).toEqual(['l3', 'l1', false]);
    });

    it('marks what is past its time and says which', async () => {
      const due = newInteraction('x1', { expires_at: 10 });
      await store.interactions.insert(due);
      await store.interactions.insert(newInteraction('x2', { expires_at: 11 }));
      const expired = await store.interactions.expire(10);
      expect(expired).toEqual([{ ...due, status: 'expired', answer: null, answered_by: null, resolved_at: 10 }]);
      expect(await store.interactions.expire(10)).toEqual([]);
    });

    it('refuses one that is too large, and an id twice', async () => {
      const request = 'x'.repeat(limits.interaction_bytes);
      await expect(store.interactions.insert(newInteraction('big', { request }))).rejects.toMatchObject({
        code: 'payload_too_large',
      });
      await expect(store.interactions.insert(newInteraction('i1'))).rejects.toMatchObject({
        details: { reason: 'STORE_DUPLICATE' },
      });
    });
  });
}
