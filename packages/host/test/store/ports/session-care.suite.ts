import { limits } from '@rostra/protocol/wire/limits';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import {
  claim,
  commit,
  findMessage,
  own,
  readAt,
  release,
  runRow,
  SessionUnits,
  transcriptRow,
} from '../session-units.ts';
import { newArtifact } from './artifact.suite.ts';
import { interactionRow } from './interaction.suite.ts';
import { stateScope } from './state.suite.ts';

const gone = { code: 'not_found', details: { reason: 'SESSION_GONE' } };

/** The contract of deleting and ageing whole sessions. */
export function describeSessionCare(open: () => Promise<HostStore>): void {
  describe('sessions', () => {
    let store: HostStore;
    beforeEach(async () => {
      store = await open();
    });
    const why = { at: 77, why: 'user:owner' };

    async function purgeAll(): Promise<number> {
      let steps = 0;
      while (await store.sessions.purge()) steps += 1;
      return steps;
    }

    async function full(session_id: string): Promise<SessionUnits> {
      const units = new SessionUnits(session_id);
      await commit(
        store,
        units.next(2, {
          context: '{}',
          turns: [units.turn(`${session_id}-t`)],
          runs: [runRow(session_id, `${session_id}-t.1`)],
          transcript: [transcriptRow(session_id, 1)],
          interactions: [{ opened: interactionRow(`${session_id}-i`, { session_id }) }],
          message_ids: ['m'],
          outbox_add: [2],
        }),
      );
      await store.state.set(stateScope({ scope: 'conversation', session_id }), 'k', 1, 1);
      await store.artifacts.create(newArtifact(`${session_id}-a`, { session_id }), new Uint8Array([1]));
      return units;
    }

    async function expectGone(session_id: string): Promise<void> {
      await expect(store.readHead(session_id)).rejects.toMatchObject(gone);
      await expect(store.readSegments(session_id, 0, 1000)).rejects.toMatchObject(gone);
      await expect(readAt(store, session_id, 1)).rejects.toMatchObject(gone);
      await expect(findMessage(store, session_id, 'm')).rejects.toMatchObject(gone);
      await expect(claim(store, session_id)).rejects.toMatchObject(gone);
      expect(await store.findTurn(`${session_id}-t`)).toBeNull();
      expect(await store.runs.get(`${session_id}-t.1`)).toBeNull();
      expect((await store.transcript.page(session_id)).rows).toEqual([]);
      expect(await store.listUnfinished()).not.toContain(session_id);
      expect((await store.sessions.list()).map((row) => row.session_id)).not.toContain(session_id);
    }

    it('a deleted session is gone at once, its owner fenced, and its id never given again', async () => {
      const units = await full('s');
      await full('kept');
      expect(await store.sessions.remove('s', why)).toBe(true);
      await expectGone('s');
      expect(await store.sessions.tombstone('s')).toEqual({
        session_id: 's',
        deleted_at: 77,
        why: 'user:owner',
        workspace_id: 'workspace',
        owner_id: 'owner',
        last_seq: 2,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(await commit(store, units.next(1))).toEqual(['fenced']);
      expect(await commit(store, new SessionUnits('s').next(1))).toEqual(['fenced']);
      await purgeAll();
      await expectGone('s');
      expect(await commit(store, new SessionUnits('s').next(1))).toEqual(['fenced']);
      expect(await store.state.get(stateScope({ scope: 'conversation', session_id: 's' }), 'k')).toBeNull();
      expect(await store.artifacts.get('s-a', 1)).toBeNull();
      expect(await store.interactions.get('s-i')).toBeNull();

      expect(await own(store, 'kept')).toMatchObject({ last_seq: 2, outbox: [2] });
      expect(await store.state.get(stateScope({ scope: 'conversation', session_id: 'kept' }), 'k')).not.toBeNull();
      expect(await store.artifacts.get('kept-a', 1)).not.toBeNull();
      expect(await store.interactions.get('kept-i')).not.toBeNull();
      expect((await store.transcript.page('kept')).rows).toHaveLength(1);
    });

    it('gives the context that was saved last, and where it stands', async () => {
      const units = new SessionUnits('s');
      await commit(store, units.next(2));
      expect(await store.sessions.saved('s')).toBeNull();
      await commit(store, units.next(3, { context: '{"n":1}' }));
      await commit(store, units.next(1));
      expect(await store.sessions.saved('s')).toEqual({ context: '{"n":1}', context_seq: 5 });
      expect(await store.sessions.saved('nobody')).toBeNull();
      await store.sessions.remove('s', why);
      expect(await store.sessions.saved('s')).toBeNull();
    });

    it('nothing is deleted twice, and nothing that never was', async () => {
      await full('s');
      expect(await store.sessions.remove('s', why)).toBe(true);
      expect(await store.sessions.remove('s', { at: 78, why: 'again' })).toBe(false);
      expect(await store.sessions.remove('nobody', why)).toBe(false);
      expect(await store.sessions.tombstone('nobody')).toBeNull();
      expect((await store.sessions.tombstone('s'))?.deleted_at).toBe(77);
    });

    it('a unit of a purged session never lands in one that came after it', async () => {
      const old = new SessionUnits('old');
      await commit(store, old.next(2));
      await store.sessions.remove('old', why);
      await purgeAll();
      await commit(store, new SessionUnits('new').next(2));
      expect(await commit(store, old.next(1))).toEqual(['fenced']);
      expect((await store.readHead('new'))?.last_seq).toBe(2);
    });

    it('lists sessions in the order of their creation, in pages', async () => {
      for (const id of ['c', 'a', 'b']) await commit(store, new SessionUnits(id).next(2));
      const [first, ...rest] = await store.sessions.list();
      expect([first?.session_id, ...rest.map(({ session_id }) => session_id)]).toEqual(['c', 'a', 'b']);
      expect(first).toMatchObject({ workspace_id: 'workspace', owner_id: 'owner', last_seq: 2, updated_at: 1_002 });
      const page = await store.sessions.list({ after: first?.cursor ?? 0, limit: 1 });
      expect(page.map(({ session_id }) => session_id)).toEqual(['a']);
    });

    it('retires what is old and at rest: no live turn, nothing owed, held by nobody', async () => {
      const units = ['idle', 'young', 'turn', 'owing', 'held', 'released'].map((id) => new SessionUnits(id));
      const [idle, young, turn, owing, held, released] = units as [
        SessionUnits,
        SessionUnits,
        SessionUnits,
        SessionUnits,
        SessionUnits,
        SessionUnits,
      ];
      await commit(
        store,
        idle.next(2, { turns: [idle.turn('ended', { ended_at: 3 })] }),
        { ...young.next(2), time: 5_000 },
        turn.next(2, { turns: [turn.turn('live')] }),
        owing.next(2, { outbox_add: [1] }),
        held.next(2),
        released.next(2),
      );
      await own(store, 'held');
      await own(store, 'released');
      await release(store, 'released', 'host');
      expect(await store.sessions.retire(0, 5_000, 9_000)).toEqual({ removed: ['idle', 'released'], cursor: null });
      expect(await store.sessions.tombstone('idle')).toMatchObject({ deleted_at: 9_000, why: 'retention' });
      expect(await store.sessions.retire(0, 5_000, 9_000)).toEqual({ removed: [], cursor: null });
      await purgeAll();
      expect((await store.sessions.list()).map(({ session_id }) => session_id)).toEqual([
        'young',
        'turn',
        'owing',
        'held',
      ]);
    });

    it('looks at some sessions at a time', async () => {
      const count = limits.sweep_sessions + 10;
      await commit(store, ...Array.from({ length: count }, (_, n) => new SessionUnits(`s${n}`).next(1)));
      const first = await store.sessions.retire(0, 1, 1);
      expect(first.removed).toEqual([]);
      expect(await store.sessions.retire(first.cursor ?? 0, 9_999, 1)).toMatchObject({ cursor: null });
      expect((await store.sessions.tombstone(`s${count - 1}`))?.why).toBe('retention');
      expect(await store.sessions.tombstone('s0')).toBeNull();
    });
  });
}
