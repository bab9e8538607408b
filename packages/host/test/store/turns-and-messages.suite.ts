import { limits } from '@rostra/protocol/wire/limits';
import { beforeEach, describe, expect, it } from 'vitest';
import type { SessionStore, TurnRow } from '../../src/store/port.ts';
import { nameNumber } from '../../src/store/session-names.ts';
import type { StoreUnderTest } from './damaged-log.suite.ts';
import { commit, findMessage, own, readNames, SessionUnits, transcriptRow } from './session-units.ts';

/** The part of the contract about who made what. */
export function describeTurnsAndMessages(under: () => StoreUnderTest): void {
  describe('turns and messages', () => {
    let store: SessionStore;
    beforeEach(() => {
      store = under().store;
    });

    it('inserts a turn and replaces it later', async () => {
      const units = new SessionUnits('s');
      const turn = units.turn('t', { status: 'queued' });
      await commit(store, units.next(1, { turns: [turn] }));
      expect(await store.findTurn('t')).toEqual(units.owned(turn));
      const ended = {
        ...turn,
        status: 'failed',
        ended_at: 7,
        code: 'demo.failed',
        message: 'no',
        retryable: true,
      } as const;
      await commit(store, units.next(1, { turns: [ended] }));
      expect(await store.findTurn('t')).toEqual(units.owned(ended));
      expect(await findMessage(store, 's', turn.message_id)).toEqual(ended);
    });

    it('knows a message by the turn that it made, or as one without a turn, per session', async () => {
      const [a, b] = [new SessionUnits('a'), new SessionUnits('b')];
      const turn = a.turn('t', { client_run_id: null, payload_hash: null });
      await commit(store, a.next(1, { turns: [turn], message_ids: ['refused'] }), b.next());
      expect(await findMessage(store, 'a', turn.message_id)).toEqual(turn);
      expect(await findMessage(store, 'a', 'refused')).toBe(true);
      expect(await findMessage(store, 'a', 'other')).toBeNull();
      expect(await findMessage(store, 'b', 'refused')).toBeNull();
      await commit(
        store,
        b.next(1, { turns: [b.turn('t-b', { message_id: turn.message_id })], message_ids: ['refused'] }),
      );
      expect(await findMessage(store, 'b', turn.message_id)).toMatchObject({ turn_id: 't-b', session_id: 'b' });
    });

    it('knows a message however long ago it came, and refuses it to who has not looked', async () => {
      const units = new SessionUnits('s');
      const turns: TurnRow[] = [];
      for (let n = 0; n < 5; n += 1) {
        const turn = units.turn(`t${n}`, { first_seq: units.last_seq + 1 });
        await commit(store, units.next(20_000, { turns: [turn] }));
        turns.push(turn);
      }
      for (const turn of turns) expect(await findMessage(store, 's', turn.message_id)).toEqual(turn);
      expect(await findMessage(store, 's', 'run:t5')).toBeNull();
      const again = units.turn('again', { message_id: 'run:t0', first_seq: units.last_seq + 1 });
      for (const change of [{ turns: [again] }, { message_ids: ['run:t0'] }]) {
        const unit = new SessionUnits('s', units).next(1, { ...change, fresh: false });
        await expect(commit(store, unit)).rejects.toMatchObject({ details: { reason: 'STORE_DUPLICATE' } });
      }
      const ended = { ...units.turn('t0'), status: 'completed', ended_at: 9 } as const;
      await commit(store, units.next(1, { turns: [ended], fresh: false }));
      expect(await findMessage(store, 's', 'run:t0')).toEqual(ended);
    });

    it('names every message of a claimed session, under all its names', async () => {
      const units = new SessionUnits('s');
      const transcript = [
        transcriptRow('s', 1, { role: 'user', item_type: 'message', item_id: 'i-1', client_id: 'c-1' }),
        transcriptRow('s', 2, { role: 'assistant', item_type: 'message', item_id: 'i-2' }),
        transcriptRow('s', 3, { role: 'tool', item_type: 'tool_result', item_id: 't.call', turn_id: 't' }),
        transcriptRow('s', 4, { role: 'user', item_type: 'message', item_id: 'i-4', supersedes: 2 }),
      ];
      await commit(store, units.next(4, { turns: [units.turn('t')], message_ids: ['refused'], transcript }));
      await own(store, 's');
      const names = await readNames(store, 's');
      const numbers = (...list: string[]) => list.map(nameNumber).sort((a, b) => a - b);
      const found = (list: Int32Array | undefined) => [...(list ?? [])].sort((a, b) => a - b);
      expect(found(names?.messages)).toEqual(numbers('run:t', 'refused'));
      expect(found(names?.said)).toEqual(numbers('i-1', 'c-1', 'i-2', 't.call', 'call', 'i-4'));
    });

    it('names nothing of a session with more messages than anybody remembers', async () => {
      const units = new SessionUnits('s');
      const ids = (count: number, kind: string) => Array.from({ length: count }, (_, n) => `${kind}${n}`);
      await commit(store, units.next(1, { message_ids: ids(limits.known_names, 'a') }));
      const claimed = await own(store, 's');
      expect((await readNames(store, 's'))?.messages).toHaveLength(limits.known_names);
      await commit(store, new SessionUnits('s', claimed).next(1, { message_ids: ids(1, 'b') }));
      await own(store, 's');
      expect(await readNames(store, 's')).toBeNull();
    });

    it.each([
      ['two turns of one message', (s: SessionUnits) => s.next(1, { turns: [s.turn('t2', { message_id: 'run:t' })] })],
      ['a message id twice', (s: SessionUnits) => s.next(1, { message_ids: ['m'] })],
      [
        'a turn for a message that made none',
        (s: SessionUnits) => s.next(1, { turns: [s.turn('t3', { message_id: 'm' })] }),
      ],
      ['a message without a turn that made one', (s: SessionUnits) => s.next(1, { message_ids: ['run:t'] })],
      ['another message for a turn', (s: SessionUnits) => s.next(1, { turns: [s.turn('t', { message_id: 'x' })] })],
      ['an outbox row twice', (s: SessionUnits) => s.next(1, { outbox_add: [1] })],
    ])('refuses %s', async (_, makeUnit) => {
      const units = new SessionUnits('s');
      await commit(store, units.next(1, { turns: [units.turn('t')], message_ids: ['m'], outbox_add: [1] }));
      const unit = { ...makeUnit(units), fresh: false };
      await expect(commit(store, unit)).rejects.toMatchObject({ details: { reason: 'STORE_DUPLICATE' } });
      expect(await own(store, 's')).toMatchObject({ last_seq: 1, turns: [units.turn('t')], outbox: [1] });
    });
  });
}
