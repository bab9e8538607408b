import { beforeEach, describe, expect, it } from 'vitest';
import { CorruptLogError, type Segment, type SessionStore, type StoreStats } from '../../src/store/port.ts';
import { claim, commitApart, own, readAt, SessionUnits, segmentOf } from './session-units.ts';

/** What tests may do to a stored session behind the engine's back. */
export interface Damage {
  segment: { first_seq: number; change: Partial<Segment> } | { first_seq: number; remove: true };
  context: string;
}

export interface StoreUnderTest {
  store: SessionStore & { stats(): Promise<StoreStats> };
  damage<K extends keyof Damage>(session_id: string, what: K, how: Damage[K]): void | Promise<void>;
}

/** The part of the contract about what an engine must notice. */
export function describeDamagedLog(under: () => StoreUnderTest): void {
  describe('a damaged log (SR-INV-L6)', () => {
    let store: StoreUnderTest['store'];
    beforeEach(() => {
      store = under().store;
    });

    async function stored(): Promise<SessionUnits> {
      const units = new SessionUnits('s');
      await commitApart(store, units.next(2), new SessionUnits('other').next(2));
      await commitApart(store, units.next(2, { context: '{"n":4}' }));
      await commitApart(store, units.next(2));
      await commitApart(store, units.next(2));
      return units;
    }

    const flipped = segmentOf(5, 6, 1).body.replace('chunk 5', 'chunk 4');

    it.each([
      ['a changed body', { first_seq: 5, change: { body: flipped } }],
      ['a changed last segment', { first_seq: 7, change: { body: '' } }],
      ['a changed epoch', { first_seq: 5, change: { epoch: 2 } }],
      ['a moved end', { first_seq: 7, change: { last_seq: 9 } }],
      ['a moved end in between', { first_seq: 5, change: { last_seq: 5 } }],
      ['a missing segment', { first_seq: 5, remove: true }],
      ['a missing last segment', { first_seq: 7, remove: true }],
    ] as const)('with %s is reported and not handed over (case 80)', async (_, how) => {
      const units = await stored();
      await under().damage('s', 'segment', how);
      await expect(claim(store, 's')).rejects.toBeInstanceOf(CorruptLogError);
      await expect(claim(store, 's')).rejects.toMatchObject({ session_id: 's' });
      expect((await own(store, 'other')).epoch).toBe(2);
      expect(units.epoch).toBe(1);
    });

    it('with a changed context is reported (case 80)', async () => {
      await stored();
      await under().damage('s', 'context', '{"n":5}');
      await expect(claim(store, 's')).rejects.toBeInstanceOf(CorruptLogError);
    });

    it('is found in the last segment even when nothing comes after the context', async () => {
      const units = await stored();
      await commitApart(store, units.next(2, { context: '{}' }));
      await under().damage('s', 'segment', { first_seq: 9, change: { body: 'x' } });
      await expect(claim(store, 's')).rejects.toBeInstanceOf(CorruptLogError);
    });

    it('is found when a single record is read', async () => {
      await stored();
      await under().damage('s', 'segment', { first_seq: 5, change: { body: flipped } });
      await expect(readAt(store, 's', 6)).rejects.toBeInstanceOf(CorruptLogError);
      expect(await readAt(store, 's', 1, 8)).toHaveLength(2);
    });
  });
}
