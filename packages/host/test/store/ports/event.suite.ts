import type { EventRow } from '@rostra/kernel/projection/event-row';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import type { EventPage } from '../../../src/store/ports/event.ts';
import { commit, SessionUnits, transcriptRow } from '../session-units.ts';

export function eventRow(session_id: string, seq: number, change: Partial<EventRow> = {}): EventRow {
  return {
    session_id,
    seq,
    event_id: `${session_id}:${seq}`,
    event_type: 'message.received',
    turn_id: 't',
    run_id: null,
    thread_id: null,
    bot_id: null,
    actor_id: 'owner',
    created_at: 1_000 + seq,
    ...change,
  };
}

/** The contract of the index of events. */
export function describeEvents(open: () => Promise<HostStore>): void {
  describe('events', () => {
    let store: HostStore;
    const rows = [
      eventRow('events', 1),
      eventRow('events', 2, { event_type: 'tool.call.started', run_id: 't.1' }),
      eventRow('events', 5, { thread_id: 'x', bot_id: 'bot' }),
      eventRow('events', 6, { event_id: 'from outside' }),
    ];
    beforeAll(async () => {
      store = await open();
      await commit(store, new SessionUnits('events').next(6, { events: rows }));
      const other = eventRow('other events', 1, { event_id: 'from outside' });
      await commit(store, new SessionUnits('other events').next(1, { events: [other] }));
    });
    const seqs = async (page: EventPage = {}) => {
      const { rows, has_more } = await store.events.page('events', page);
      return [...rows.map(({ seq }) => seq), has_more];
    };

    it('keeps every part of an event, and finds it by its id', async () => {
      expect(await store.events.find('events:2')).toEqual([rows[1]]);
      expect(await store.events.find('nothing')).toEqual([]);
      const outside = await store.events.find('from outside');
      expect(outside.map(({ session_id }) => session_id)).toEqual(['other events', 'events']);
    });

    it('a message of a person is one event, found by its turn and in its place', async () => {
      const units = new SessionUnits('said');
      const turns = [
        units.turn('said-1'),
        units.turn('said-2', { first_seq: 2 }),
        units.turn('said-3', { first_seq: 3 }),
      ];
      const own = { item_id: 'said-1', turn_id: 'said-1', run_id: null, role: 'user', thread_id: 'x' };
      const foreign = {
        item_id: 'said-2',
        turn_id: 'said-2',
        run_id: null,
        role: 'user',
        event_type: 'message.received',
      };
      const plain = eventRow('said', 1, { event_id: 'said-1', turn_id: 'said-1', thread_id: 'x' });
      const outside = eventRow('said', 2, { event_id: 'platform-7', turn_id: 'said-2' });
      const silent = eventRow('said', 3, { event_id: 'said-3', turn_id: 'said-3', event_type: 'session.handover' });
      const transcript = [transcriptRow('said', 1, own), transcriptRow('said', 2, foreign)];
      await commit(store, units.next(3, { turns, transcript, events: [plain, outside, silent] }));
      expect(await store.events.find('said-1')).toEqual([plain]);
      expect(await store.events.find('said-2')).toEqual([]);
      expect(await store.events.find('platform-7')).toEqual([outside]);
      expect(await store.events.find('said-3')).toEqual([silent]);
      const page = async (where: EventPage['where'] = {}) => (await store.events.page('said', { where })).rows;
      expect(await page()).toEqual([silent, outside, plain]);
      expect(await page({ thread_id: 'x' })).toEqual([plain]);
      expect(await page({ event_types: ['message.received'] })).toEqual([outside, plain]);
    });

    it('gives pages, newest first, of one thread and bot and of some kinds', async () => {
      expect(await seqs()).toEqual([6, 5, 2, 1, false]);
      expect(await seqs({ limit: 2 })).toEqual([6, 5, true]);
      expect(await seqs({ before: 5, limit: 2 })).toEqual([2, 1, false]);
      expect(await seqs({ where: { thread_id: null, bot_id: null } })).toEqual([6, 2, 1, false]);
      expect(await seqs({ where: { thread_id: 'x' } })).toEqual([5, false]);
      expect(await seqs({ where: { event_types: ['tool.call.started'] } })).toEqual([2, false]);
      await expect(seqs({ limit: 0 })).rejects.toMatchObject({ code: 'invalid_argument' });
    });

    it('go with their session', async () => {
      await commit(store, new SessionUnits('gone').next(1, { events: [eventRow('gone', 1)] }));
      await store.sessions.remove('gone', { at: 1, why: 'test' });
      expect(await store.events.find('gone:1')).toEqual([]);
      expect((await store.events.page('gone')).rows).toEqual([]);
      while (await store.sessions.purge());
      expect(await store.events.find('gone:1')).toEqual([]);
    });
  });
}
