import type { InteractionRow, Resolution } from '@rostra/kernel/projection/interaction-rows';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import { commit, SessionUnits } from '../session-units.ts';

export function interactionRow(interaction_id: string, change: Partial<InteractionRow> = {}): InteractionRow {
  return {
    interaction_id,
    workspace_id: 'workspace',
    session_id: 's',
    turn_id: 't',
    run_id: 't.1',
    agent_id: 'guide',
    purpose: 'question',
    kind: 'confirmation',
    request: { title: 'May I? 好吗' },
    status: 'pending',
    answer: null,
    answered_by: null,
    created_at: 1,
    expires_at: 1_000,
    resolved_at: null,
    ...change,
  };
}

function resolved(interaction_id: string, change: Partial<Resolution> = {}): Resolution {
  const answer = { action_id: 'yes', values: { n: 1 } };
  return { interaction_id, status: 'answered', answer, answered_by: 'anna', resolved_at: 5, ...change };
}

/** The contract of the inbox: rows come and end with the units of their sessions. */
export function describeInteractions(open: () => Promise<HostStore>): void {
  describe('interactions', () => {
    let store: HostStore;
    const sessions = new Map<string, SessionUnits>();
    beforeAll(async () => {
      store = await open();
    });
    const write = (session_id: string, ...interactions: { opened: InteractionRow }[] | { resolved: Resolution }[]) => {
      const units = sessions.get(session_id) ?? new SessionUnits(session_id);
      sessions.set(session_id, units);
      return commit(store, units.next(1, { interactions }));
    };
    const ask = (id: string, change: Partial<InteractionRow> = {}) =>
      write(change.session_id ?? 'inbox', { opened: interactionRow(id, { session_id: 'inbox', ...change }) });

    it('a question is pending until the unit that resolves it, and keeps its first end', async () => {
      await ask('i1');
      expect(await store.interactions.get('i1')).toEqual(interactionRow('i1', { session_id: 'inbox' }));
      await write('inbox', { resolved: resolved('i1') });
      await write('inbox', { resolved: resolved('i1', { status: 'expired', answer: null, answered_by: null }) });
      expect(await store.interactions.get('i1')).toEqual({
        ...interactionRow('i1', { session_id: 'inbox' }),
        ...resolved('i1'),
      });
      expect(await store.interactions.get('nothing')).toBeNull();
    });

    it('a question that its own unit resolves is there with its end', async () => {
      await write('inbox', { opened: interactionRow('i2', { session_id: 'inbox' }) });
      await write('inbox', { resolved: resolved('i2', { status: 'run_lost', answer: null, answered_by: null }) });
      expect(await store.interactions.get('i2')).toMatchObject({ status: 'run_lost', answer: null, resolved_at: 5 });
    });

    it('a fenced unit leaves no trace in the inbox', async () => {
      await ask('i3');
      const stale = new SessionUnits('inbox', { epoch: 1, last_seq: 0 });
      expect(await commit(store, stale.next(1, { interactions: [{ resolved: resolved('i3') }] }))).toEqual(['fenced']);
      expect(await store.interactions.get('i3')).toMatchObject({ status: 'pending' });
    });

    it('gives pages, newest first, of one owner, per session and status', async () => {
      for (const n of [1, 2, 3]) await ask(`l${n}`, { session_id: 'listed' });
      await ask('l4', { session_id: 'listed too' });
      await write('listed', { resolved: resolved('l2', { status: 'withdrawn', answer: null }) });
      const ids = async (filter: object, page?: object) => {
        const all = { workspace_id: 'workspace', owner_id: 'owner', session_id: 'listed', ...filter };
        const { rows, has_more } = await store.interactions.page(all, page);
        return [...rows.map(({ interaction_id }) => interaction_id), has_more];
      };
      expect(await ids({ status: 'pending' })).toEqual(['l3', 'l1', false]);
      expect(await ids({})).toEqual(['l3', 'l2', 'l1', false]);
      expect(await ids({}, { limit: 1 })).toEqual(['l3', true]);
      await write('listed', { resolved: resolved('l3', { status: 'expired', answer: null }) });
      expect(await ids({ status: 'pending' }, { before: 'l3' })).toEqual(['l1', false]);
      expect(await ids({ owner_id: 'somebody else' })).toEqual([false]);
      expect(await ids({ workspace_id: 'elsewhere' })).toEqual([false]);
      const { rows } = await store.interactions.page({ workspace_id: 'workspace', owner_id: 'owner' });
      expect(rows.map(({ interaction_id }) => interaction_id)).toEqual(expect.arrayContaining(['l4', 'l3']));
    });

    it('keeps no credential: whoever may answer is known by the session (check 78)', async () => {
      await ask('i5');
      expect(
        Object.keys((await store.interactions.get('i5')) ?? {}).filter((name) => /token|hash|key/.test(name)),
      ).toEqual([]);
    });
  });
}
