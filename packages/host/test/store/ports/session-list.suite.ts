import { limits } from '@rostra/protocol/wire/limits';
import { beforeEach, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import type { Unit } from '../../../src/store/port.ts';
import { commit, runRow, SessionUnits, transcriptRow } from '../session-units.ts';
import { interactionRow } from './interaction.suite.ts';

const whose = { workspace_id: 'workspace', owner_id: 'owner' };

/** The contract of looking through sessions, and through the turns in them. */
export function describeSessionList(open: () => Promise<HostStore>): void {
  describe('lists of sessions', () => {
    let store: HostStore;
    beforeEach(async () => {
      store = await open();
    });

    /** A session that was given a turn at that time. */
    async function used(id: string, time: number, owner_id = 'owner'): Promise<SessionUnits> {
      const units = new SessionUnits(id);
      const turns = [units.turn(`${id}-t`)];
      const created = { workspace_id: 'workspace', owner_id };
      await commit(store, { ...units.next(2, { turns }), time, created });
      return units;
    }
    const ids = async (page: Parameters<HostStore['sessions']['browse']>[1] = {}, of: object = whose) => {
      const { rows, has_more } = await store.sessions.browse({ workspace_id: 'workspace', ...of }, page);
      return [...rows.map(({ session_id }) => session_id), ...(has_more ? ['…'] : [])];
    };
    const again = (units: SessionUnits, turn_id: string, time: number): Unit => {
      const turns = [units.turn(turn_id, { first_seq: units.last_seq + 1 })];
      return { ...units.next(2, { turns }), time };
    };

    it('the session that was given work last comes first, page by page', async () => {
      const a = await used('a', 1_000);
      await used('b', 2_000);
      await used('c', 3_000);
      expect(await ids()).toEqual(['c', 'b', 'a']);
      await commit(store, again(a, 'a-2', 4_000));
      expect(await ids()).toEqual(['a', 'c', 'b']);
      const { rows } = await store.sessions.browse(whose, { limit: 1 });
      const [first] = rows;
      if (first === undefined) throw new Error('nothing is listed');
      expect(await ids({ before: first, limit: 1 })).toEqual(['c', '…']);
      expect(await ids({ before: first })).toEqual(['c', 'b']);
    });

    it('sessions of one moment keep an order over pages', async () => {
      for (const id of ['a', 'b', 'c']) await used(id, 1_000);
      const seen: string[] = [];
      for (let before: { active_at: number; key: number } | undefined; ; ) {
        const { rows, has_more } = await store.sessions.browse(whose, { limit: 1, ...(before && { before }) });
        seen.push(...rows.map(({ session_id }) => session_id));
        before = rows[0];
        if (!has_more) break;
      }
      expect(seen).toEqual(['c', 'b', 'a']);
    });

    it('chunks and ends of turns change no order', async () => {
      const a = await used('a', 1_000);
      await used('b', 2_000);
      await commit(store, { ...a.next(3), time: 9_000 });
      const ended = [a.turn('a-t', { status: 'completed', ended_at: 9_500 })];
      await commit(store, { ...a.next(1, { turns: ended, context: '{}' }), time: 9_500 });
      expect(await ids()).toEqual(['b', 'a']);
    });

    it('of one owner, or of the workspace; never what was deleted', async () => {
      await used('mine', 1_000);
      await used('theirs', 2_000, 'somebody');
      await used('gone', 3_000);
      await store.sessions.remove('gone', { at: 1, why: 'user:owner' });
      expect(await ids()).toEqual(['mine']);
      expect(await ids({}, {})).toEqual(['theirs', 'mine']);
      expect(await ids({}, { owner_id: 'nobody' })).toEqual([]);
      expect(await ids({}, { workspace_id: 'elsewhere' })).toEqual([]);
    });

    it('a card tells how the session began, what was said last, and what is under way', async () => {
      const units = new SessionUnits('s');
      const long = '字'.repeat(limits.last_message_chars + 50);
      await commit(
        store,
        units.next(6, {
          context: '{"active_agent_id":"guide"}',
          turns: [units.turn('t1', { ended_at: 3 }), units.turn('t2')],
          transcript: [
            transcriptRow('s', 1, { content: 'Where is the station?' }),
            transcriptRow('s', 2, { content: 'There.' }),
            transcriptRow('s', 4, { role: 'assistant', content: long }),
            transcriptRow('s', 5, { role: 'tool', item_type: 'tool_result', content: '{}' }),
            transcriptRow('s', 6, { role: 'assistant', item_type: 'message.edited', content: 'changed' }),
          ],
          interactions: [{ opened: interactionRow('i', { session_id: 's' }) }],
        }),
      );
      const [card] = await store.sessions.cards(['s', 'nobody', 's']);
      expect(card).toMatchObject({
        session_id: 's',
        owner_id: 'owner',
        title: null,
        first_message: 'Where is the station?',
        active_agent_id: 'guide',
        turns: 2,
        live_turns: 1,
        open_interactions: 1,
      });
      expect(card?.last_message).toMatchObject({ role: 'assistant', created_at: 1_004 });
      expect([...(card?.last_message?.content ?? '')]).toHaveLength(limits.last_message_chars + 1);
    });

    it('an empty session has a card too', async () => {
      await commit(store, new SessionUnits('s').next(1));
      expect(await store.sessions.cards(['s'])).toMatchObject([
        { first_message: null, last_message: null, active_agent_id: null, turns: 0, live_turns: 0 },
      ]);
    });

    it('a title is kept until it is taken away, and its owner can still write', async () => {
      const units = await used('s', 1_000);
      expect(await store.sessions.rename('s', 'Holidays')).toBe(true);
      expect(await store.sessions.cards(['s'])).toMatchObject([{ title: 'Holidays' }]);
      expect(await commit(store, units.next(1))).toEqual(['committed']);
      expect(await store.sessions.cards(['s'])).toMatchObject([{ title: 'Holidays' }]);
      await store.sessions.rename('s', null);
      expect(await store.sessions.cards(['s'])).toMatchObject([{ title: null }]);
      expect(await store.sessions.rename('nobody', 'x')).toBe(false);
    });

    it('turns of a session, of an owner or of the workspace, the newest first', async () => {
      const mine = await used('mine', 1_000);
      await used('theirs', 2_000, 'somebody');
      await commit(store, again(mine, 'mine-2', 3_000));
      const turns = async (of: object, page = {}) => {
        const { rows, has_more } = await store.sessions.turns({ workspace_id: 'workspace', ...of }, page);
        return [...rows.map(({ turn_id }) => turn_id), ...(has_more ? ['…'] : [])];
      };
      expect(await turns({})).toEqual(['mine-2', 'theirs-t', 'mine-t']);
      expect(await turns({ owner_id: 'owner' })).toEqual(['mine-2', 'mine-t']);
      expect(await turns({ session_id: 'theirs' })).toEqual(['theirs-t']);
      expect(await turns({ session_id: 'theirs', owner_id: 'owner' })).toEqual([]);
      expect(await turns({ owner_id: 'owner' }, { limit: 1 })).toEqual(['mine-2', '…']);
      expect(await turns({ owner_id: 'owner' }, { before: 'mine-2' })).toEqual(['mine-t']);
      await store.sessions.remove('mine', { at: 1, why: 'user:owner' });
      expect(await turns({})).toEqual(['theirs-t']);
    });

    it('runs of several turns at once, attempts in order', async () => {
      const units = await used('s', 1_000);
      const runs = [
        runRow('s', 't.2', { attempt: 2 }),
        runRow('s', 't.1', { attempt: 1 }),
        runRow('s', 'u.1', { turn_id: 'u' }),
        runRow('s', 'v.1', { turn_id: 'v' }),
      ];
      await commit(store, units.next(1, { runs }));
      const found = await store.runs.ofTurns(['u', 't', 'nobody']);
      expect(found.map(({ run_id }) => run_id)).toEqual(['t.1', 't.2', 'u.1']);
      expect(await store.runs.ofTurns([])).toEqual([]);
    });
  });

  describe('messages as they stand', () => {
    let store: HostStore;
    beforeEach(async () => {
      store = await open();
      const rows = [
        transcriptRow('s', 1, { content: 'a question about bicycles' }),
        transcriptRow('s', 2, { item_id: 'm1', content: 'bicycles are blue' }),
        transcriptRow('s', 3, { item_id: 'm2', role: 'assistant', content: 'bicycles are square' }),
        transcriptRow('s', 4, { item_id: 'm1', item_type: 'message.edited', content: 'bicycles are red' }),
        transcriptRow('s', 5, { item_id: 'm2', role: 'assistant', item_type: 'message.deleted', content: '' }),
      ];
      await commit(store, new SessionUnits('s').next(5, { transcript: rows }));
      const other = new SessionUnits('other').next(1, {
        transcript: [transcriptRow('other', 1, { content: 'bicycles' })],
      });
      await commit(store, { ...other, created: { workspace_id: 'workspace', owner_id: 'somebody' } });
    });
    const found = async (more: object) => {
      const wanted = { query: 'bicycles', workspace_id: 'workspace', limit: 10, ...more };
      const { rows } = await store.transcript.search(wanted);
      return rows.map(({ session_id, seq }) => `${session_id} ${seq}`).sort();
    };

    it('a search finds what an owner has, and neither what was changed nor what was taken back', async () => {
      expect(await found({})).toEqual(['other 1', 's 1', 's 2', 's 3', 's 4']);
      expect(await found({ owner_id: 'owner' })).toEqual(['s 1', 's 2', 's 3', 's 4']);
      expect(await found({ owner_id: 'owner', current: true })).toEqual(['s 1', 's 4']);
      expect(await found({ owner_id: 'somebody', session_id: 's' })).toEqual([]);
    });

    it('changes are found by what they changed, in their order', async () => {
      const changes = await store.transcript.amendments('s', ['m1', 'm2', 'nothing']);
      expect(changes.map(({ seq, item_type }) => [seq, item_type])).toEqual([
        [4, 'message.edited'],
        [5, 'message.deleted'],
      ]);
      expect(await store.transcript.amendments('s', ['m2'])).toHaveLength(1);
      expect(await store.transcript.amendments('nobody', ['m1'])).toEqual([]);
    });

    it('counts messages before a record, of the kinds that are meant', async () => {
      const where = { roles: ['user', 'assistant'], item_types: ['message'] };
      expect(await store.transcript.count('s', 3, where)).toBe(2);
      expect(await store.transcript.count('s', 99, where)).toBe(3);
      expect(await store.transcript.count('s', 99)).toBe(5);
      expect(await store.transcript.count('nobody', 99)).toBe(0);
    });
  });
}
