import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeDamagedLog, type StoreUnderTest } from './damaged-log.suite.ts';
import {
  claim,
  commit,
  commitApart,
  findMessage,
  own,
  readAt,
  readNames,
  SessionUnits,
  segmentOf,
} from './session-units.ts';
import { describeTurnsAndMessages } from './turns-and-messages.suite.ts';

/** The contract of every engine of the SessionStore port. `journaled`: rows are written later, and counted then. */
export function describeSessionStore(
  name: string,
  open: () => StoreUnderTest | Promise<StoreUnderTest>,
  { journaled }: { journaled: boolean } = { journaled: false },
): void {
  describe(`${name}: SessionStore`, () => {
    let under: StoreUnderTest;
    let store: StoreUnderTest['store'];
    beforeEach(async () => {
      under = await open();
      store = under.store;
    });
    afterEach(() => store.close());

    describe('units', () => {
      it('claims nothing of a session that was never created', async () => {
        expect(await claim(store, 'nobody')).toBeNull();
        expect(await store.readHead('nobody')).toBeNull();
        expect(await store.readSegments('nobody', 0, 1000)).toEqual([]);
        expect(await readAt(store, 'nobody', 1)).toEqual([]);
        expect(await findMessage(store, 'nobody', 'm')).toBeNull();
        expect(await readNames(store, 'nobody')).toBeNull();
        expect(await store.findTurn('nothing')).toBeNull();
        expect(await store.listUnfinished()).toEqual([]);
      });

      it('creates a session with its first unit', async () => {
        const units = new SessionUnits('s');
        expect(await commit(store, units.next(3, { context: '{"state":"OPEN"}' }))).toEqual(['committed']);
        expect(await store.readHead('s')).toEqual({
          last_seq: 3,
          epoch: 1,
          owner_id: 'owner',
          workspace_id: 'workspace',
        });
        expect(await own(store, 's')).toEqual({
          epoch: 2,
          workspace_id: 'workspace',
          owner_id: 'owner',
          last_seq: 3,
          context: '{"state":"OPEN"}',
          context_seq: 3,
          tail: [],
          outbox: [],
          turns: [],
        });
      });

      it('fences the creation of a session that exists', async () => {
        await commit(store, new SessionUnits('s').next(2));
        expect(await commit(store, new SessionUnits('s').next(5))).toEqual(['fenced']);
        expect((await store.readHead('s'))?.last_seq).toBe(2);
      });

      it('fences a unit of a session that does not exist', async () => {
        const units = new SessionUnits('ghost', { epoch: 1, last_seq: 0 });
        expect(await commit(store, units.next())).toEqual(['fenced']);
        expect(await store.readHead('ghost')).toBeNull();
      });

      it('fences a unit that expects another last record', async () => {
        const units = new SessionUnits('s');
        const [first, second, third] = [units.next(), units.next(), units.next()];
        await commit(store, first);
        expect(await commit(store, third)).toEqual(['fenced']);
        expect(await commit(store, second)).toEqual(['committed']);
        expect(await commit(store, second)).toEqual(['fenced']);
        expect(await commit(store, third)).toEqual(['committed']);
      });

      it('fences the older of two owners from the claim on', async () => {
        const first = new SessionUnits('s');
        await commit(store, first.next(2));
        const claimed = await own(store, 's');
        const second = new SessionUnits('s', claimed);
        expect(await commit(store, first.next())).toEqual(['fenced']);
        expect(await commit(store, second.next(2))).toEqual(['committed']);
        expect(await commit(store, first.next())).toEqual(['fenced']);
        expect((await own(store, 's')).epoch).toBe(claimed.epoch + 1);
        expect(await store.readSegments('s', 0, 10_000)).toEqual([segmentOf(1, 2, 1), segmentOf(3, 4, 2)]);
      });

      it('skips a fenced unit among good ones, with all that it holds', async () => {
        const [a, b, c] = [new SessionUnits('a'), new SessionUnits('b'), new SessionUnits('c')];
        await commit(store, a.next(), b.next(), c.next());
        await own(store, 'b');
        const stale = b.next(1, { turns: [b.turn('t-b')], message_ids: ['m-b'], outbox_add: [2], context: '{}' });
        expect(await commit(store, a.next(2), stale, c.next(3))).toEqual(['committed', 'fenced', 'committed']);
        expect((await store.readHead('a'))?.last_seq).toBe(3);
        expect((await store.readHead('c'))?.last_seq).toBe(4);
        expect(await own(store, 'b')).toMatchObject({ last_seq: 1, context: null, outbox: [], turns: [] });
        expect(await store.findTurn('t-b')).toBeNull();
        expect(await findMessage(store, 'b', 'm-b')).toBeNull();
      });

      it('takes two units of one session in one commit', async () => {
        const units = new SessionUnits('s');
        expect(await commit(store, units.next(), units.next(2))).toEqual(['committed', 'committed']);
        expect((await own(store, 's')).tail).toEqual([segmentOf(1, 1, 1), segmentOf(2, 3, 1)]);
      });

      it('undoes a commit entirely when one of its units fails, and goes on', async () => {
        const [a, b] = [new SessionUnits('a'), new SessionUnits('b')];
        await commit(store, a.next(1, { turns: [a.turn('t1')], outbox_add: [1] }), b.next());
        // Reading has all rows written that wait.
        await store.readHead('a');
        const before = await store.stats();
        const good = a.next(2, {
          context: '{}',
          turns: [a.turn('t1', { status: 'completed', ended_at: 5 }), a.turn('t2')],
          message_ids: ['m'],
          outbox_add: [2],
          outbox_remove: [1],
        });
        const bad = b.next(1, { turns: [a.turn('t1', { session_id: 'b' })], fresh: false });
        await expect(commit(store, good, new SessionUnits('new').next(), bad)).rejects.toMatchObject({
          code: 'runtime_error',
          retryable: true,
          details: { reason: 'STORE_DUPLICATE' },
        });
        expect(await store.stats()).toEqual(before);
        expect(await store.findTurn('t1')).toEqual(a.owned(a.turn('t1')));
        expect(await store.findTurn('t2')).toBeNull();
        expect(await findMessage(store, 'a', 'm')).toBeNull();
        expect(await store.readHead('new')).toBeNull();
        expect(await store.readSegments('a', 0, 10_000)).toEqual([segmentOf(1, 1, 1)]);

        expect(await commit(store, good)).toEqual(['committed']);
        expect(await own(store, 'a')).toMatchObject({ last_seq: 3, outbox: [2], turns: [a.turn('t2')] });
        expect(await own(store, 'b')).toMatchObject({ last_seq: 1 });
      });

      it('refuses as a bug a unit whose records do not continue the log', async () => {
        const units = new SessionUnits('s');
        await commit(store, units.next(2));
        const gap = { ...units.next(2), segments: [segmentOf(4, 4, 1)] };
        await expect(commit(store, gap)).rejects.toThrow('does not follow');
        const short = { ...gap, segments: [segmentOf(3, 3, 1)] };
        await expect(commit(store, short)).rejects.toThrow('ends at seq 3');
        const foreign = { ...gap, segments: [segmentOf(3, 4, 9)] };
        await expect(commit(store, foreign)).rejects.toThrow('does not follow');
        const late = {
          ...gap,
          session_id: 'late',
          created: { workspace_id: 'w', owner_id: 'o' },
          segments: [segmentOf(3, 4, 1)],
        };
        await expect(commit(store, late)).rejects.toThrow('created after');
        expect((await own(store, 's')).last_seq).toBe(2);
      });

      it('writes a unit without records, and nothing for no units', async () => {
        const units = new SessionUnits('s');
        await commit(store, units.next(1, { outbox_add: [1] }));
        expect(await commit(store)).toEqual([]);
        expect(await commit(store, units.next(0, { outbox_remove: [1], context: '{"a":1}' }))).toEqual(['committed']);
        expect(await own(store, 's')).toMatchObject({ last_seq: 1, context_seq: 1, context: '{"a":1}', outbox: [] });
      });

      it.skipIf(journaled)('counts one row and one update for a unit of chunks', async () => {
        const units = new SessionUnits('s');
        await commit(store, units.next(1, { turns: [units.turn('t')], context: '{}' }));
        const before = await store.stats();
        await commit(store, units.next(20, { flush: false }));
        const { commits, flushes, inserts, updates } = before;
        expect(await store.stats()).toEqual({
          commits: commits + 1,
          flushes,
          inserts: inserts + 1,
          updates: updates + 1,
        });
        await commit(store, units.next(1, { turns: [units.turn('t', { ended_at: 9 }), units.turn('t2')] }));
        expect(await store.stats()).toEqual({
          commits: commits + 2,
          flushes: flushes + 1,
          inserts: inserts + 3,
          updates: updates + 3,
        });
      });
    });

    describe('log', () => {
      it('reads whole segments with records after a seq, oldest first', async () => {
        const units = new SessionUnits('s');
        await commitApart(store, units.next(3));
        await commitApart(store, units.next(3));
        await commitApart(store, units.next(3));
        const all = [segmentOf(1, 3, 1), segmentOf(4, 6, 1), segmentOf(7, 9, 1)];
        expect(await store.readSegments('s', 0, 10_000)).toEqual(all);
        expect(await store.readSegments('s', 2, 10_000)).toEqual(all);
        expect(await store.readSegments('s', 3, 10_000)).toEqual(all.slice(1));
        expect(await store.readSegments('s', 8, 10_000)).toEqual(all.slice(2));
        expect(await store.readSegments('s', 9, 10_000)).toEqual([]);
        expect(await store.readSegments('s', 99, 10_000)).toEqual([]);
      });

      it('stops reading at about so many bytes, and gives at least one segment', async () => {
        const units = new SessionUnits('s');
        for (let i = 0; i < 5; i += 1) await commitApart(store, units.next());
        const bytes = Buffer.byteLength(segmentOf(1, 1, 1).body);
        expect(await store.readSegments('s', 0, 2 * bytes)).toHaveLength(2);
        expect(await store.readSegments('s', 0, 2 * bytes - 1)).toHaveLength(1);
        expect(await store.readSegments('s', 3, 1)).toEqual([segmentOf(4, 4, 1)]);
      });

      it('keeps a unit of several segments apart', async () => {
        const units = new SessionUnits('s');
        const segments = [segmentOf(1, 2, 1), segmentOf(3, 3, 1), segmentOf(4, 6, 1)];
        await commitApart(store, units.next(6, { segments }));
        expect(await store.readSegments('s', 0, 10_000)).toEqual(segments);
        expect((await own(store, 's')).tail).toEqual(segments);
      });

      it('finds the segments that hold given records', async () => {
        const units = new SessionUnits('s');
        for (let i = 0; i < 4; i += 1) await commitApart(store, units.next(2));
        expect(await readAt(store, 's', 8, 3, 7, 99)).toEqual([segmentOf(3, 4, 1), segmentOf(7, 8, 1)]);
        expect(await readAt(store, 's')).toEqual([]);
      });

      it('gives a new owner every segment after the saved context', async () => {
        const units = new SessionUnits('s');
        await commitApart(store, units.next(2, { context: '{"n":1}' }));
        for (let i = 0; i < 4; i += 1) await commitApart(store, units.next(2, { flush: false }));
        expect(await own(store, 's')).toMatchObject({
          context: '{"n":1}',
          context_seq: 2,
          last_seq: 10,
          tail: [segmentOf(3, 4, 1), segmentOf(5, 6, 1), segmentOf(7, 8, 1), segmentOf(9, 10, 1)],
        });
      });

      it('gives the whole log to the owner of a session that never saved a context', async () => {
        const units = new SessionUnits('s');
        await commitApart(store, units.next(2));
        await commitApart(store, units.next(2));
        expect(await own(store, 's')).toMatchObject({ context: null, context_seq: 0, tail: { length: 2 } });
      });

      it('tells the epoch that wrote the last record, not that of an owner who wrote nothing', async () => {
        await commitApart(store, new SessionUnits('s').next(2));
        const second = new SessionUnits('s', await own(store, 's'));
        expect((await store.readHead('s'))?.epoch).toBe(1);
        await commitApart(store, second.next());
        expect((await store.readHead('s'))?.epoch).toBe(2);
      });

      it('keeps every character of a body', async () => {
        const body = `${JSON.stringify({ text: 'a\u0000b \u2028 😀 \ud800 "\\' })}\n`;
        const units = new SessionUnits('s');
        await commitApart(store, units.next(1, { segments: [{ ...segmentOf(1, 1, 1), body }] }));
        expect((await own(store, 's')).tail[0]?.body).toBe(body);
      });
    });

    describeTurnsAndMessages(() => under);

    describe('restart', () => {
      it('hands over what is still in the outbox, in order', async () => {
        const units = new SessionUnits('s');
        await commit(store, units.next(5, { outbox_add: [4, 2, 5] }));
        await commit(store, units.next(1, { outbox_add: [6], outbox_remove: [2, 6, 77] }));
        expect((await own(store, 's')).outbox).toEqual([4, 5]);
      });

      it('hands over the turns that have not ended', async () => {
        const units = new SessionUnits('s');
        const turns = [units.turn('t1'), units.turn('t2', { status: 'queued' }), units.turn('t3', { ended_at: 3 })];
        await commit(store, units.next(1, { turns }));
        await commit(store, units.next(1, { turns: [units.turn('t1', { status: 'completed', ended_at: 4 })] }));
        expect((await own(store, 's')).turns).toEqual([turns[1]]);
      });

      it('lists sessions with live turns or outbox rows', async () => {
        const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => new SessionUnits(id)) as [
          SessionUnits,
          SessionUnits,
          SessionUnits,
          SessionUnits,
        ];
        await commit(
          store,
          a.next(1, { turns: [a.turn('t-a')] }),
          b.next(1, { outbox_add: [1] }),
          c.next(1, { turns: [c.turn('t-c', { ended_at: 2 })] }),
          d.next(1, { turns: [d.turn('t-d')], outbox_add: [1] }),
        );
        expect(await store.listUnfinished()).toEqual(['a', 'b', 'd']);
        await commit(store, a.next(1, { turns: [a.turn('t-a', { ended_at: 2 })] }), b.next(1, { outbox_remove: [1] }));
        expect(await store.listUnfinished()).toEqual(['d']);
      });
    });

    describeDamagedLog(() => under);
  });
}
