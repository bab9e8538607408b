import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../../src/store/memory/memory-store.ts';
import type { Damage } from '../damaged-log.suite.ts';
import { describeSessionStore } from '../session-store.suite.ts';
import { claim, commit, findMessage, own, SessionUnits, segmentOf } from '../session-units.ts';

describeSessionStore('memory', () => {
  const store = new MemoryStore();
  return {
    store,
    damage(session_id, what, how) {
      const session = store.tables.sessions.get(session_id);
      if (session === undefined) throw new Error(`no session ${session_id}`);
      if (what === 'context') {
        session.row = { ...session.row, context: how as Damage['context'] };
        return;
      }
      const target = how as Damage['segment'];
      const index = session.segments.findIndex((segment) => segment.first_seq === target.first_seq);
      if ('remove' in target) session.segments.splice(index, 1);
      else session.segments[index] = { ...session.segments[index]!, ...target.change };
    },
  };
});

describe('memory: crashes', () => {
  it('answers before the call returns', () => {
    const store = new MemoryStore();
    const calls: string[] = [];
    store.commit([new SessionUnits('s').next(1, { message_ids: ['m'] })], (_, results) => calls.push(...results));
    store.claim('s', 'host', (_, claimed) => calls.push(`epoch ${claimed?.epoch}`));
    store.findMessage('s', 'm', (_, found) => calls.push(`known ${found}`));
    store.readAt('s', [1], (_, segments) => calls.push(`${segments.length} segment`));
    expect(calls).toEqual(['committed', 'epoch 2', 'known true', '1 segment']);
  });

  it('a crash of the process keeps every commit', async () => {
    const store = new MemoryStore();
    const units = new SessionUnits('s');
    await commit(store, units.next(2, { flush: false }));
    store.crash({ power: false });
    expect(await own(store, 's')).toMatchObject({ last_seq: 2 });
  });

  it('a power cut drops whole commits after the last flushed one, in all tables', async () => {
    const store = new MemoryStore();
    const [a, b] = [new SessionUnits('a'), new SessionUnits('b')];
    await commit(
      store,
      a.next(1, { turns: [a.turn('t')], outbox_add: [1], flush: false }),
      b.next(1, { flush: false }),
    );
    await commit(store, a.next(1, { flush: true, context: '{"n":2}' }));
    await commit(store, a.next(2, { flush: false, turns: [a.turn('t', { ended_at: 9 }), a.turn('t2')] }));
    await commit(
      store,
      a.next(1, { flush: false, message_ids: ['m'], outbox_add: [5], outbox_remove: [1], context: '{}' }),
    );
    await commit(store, new SessionUnits('c').next(1, { flush: false }));
    store.crash({ power: true });

    expect(await own(store, 'a')).toEqual({
      epoch: 2,
      workspace_id: 'workspace',
      owner_id: 'owner',
      last_seq: 2,
      context: '{"n":2}',
      context_seq: 2,
      tail: [],
      outbox: [1],
      turns: [a.turn('t')],
    });
    expect(await own(store, 'b')).toMatchObject({ last_seq: 1 });
    expect(await claim(store, 'c')).toBeNull();
    expect(await store.findTurn('t2')).toBeNull();
    expect(await findMessage(store, 'a', 'm')).toBeNull();
    expect(await store.readSegments('a', 0, 10_000)).toEqual([segmentOf(1, 1, 1), segmentOf(2, 2, 1)]);
  });

  it('a flushed unit makes the others of its commit durable', async () => {
    const store = new MemoryStore();
    const [a, b] = [new SessionUnits('a'), new SessionUnits('b')];
    await commit(store, a.next(1, { flush: false }), b.next(1, { flush: true }));
    store.crash({ power: true });
    expect(await own(store, 'a')).toMatchObject({ last_seq: 1 });
  });

  it('a claim survives a power cut, so that no epoch is given twice', async () => {
    const store = new MemoryStore();
    const units = new SessionUnits('s');
    await commit(store, units.next(2, { flush: false }));
    expect((await own(store, 's')).epoch).toBe(2);
    store.crash({ power: true });
    expect(await own(store, 's')).toMatchObject({ epoch: 3, last_seq: 2 });
  });

  it('goes on after a power cut, also twice', async () => {
    const store = new MemoryStore();
    await commit(store, new SessionUnits('s').next(2));
    for (let round = 0; round < 2; round += 1) {
      const units = new SessionUnits('s', await own(store, 's'));
      await commit(store, units.next(3, { flush: false }));
      store.crash({ power: true });
      expect(await own(store, 's')).toMatchObject({ last_seq: 2, tail: [segmentOf(1, 2, 1)] });
    }
  });

  it('hashes with the function that it was given', async () => {
    const seen: string[] = [];
    const store = new MemoryStore({
      hash: (previous, session_id, first_seq, epoch, body) => {
        seen.push(`${session_id} ${first_seq}`);
        return `${previous.length} ${first_seq} ${epoch} ${body.length}`;
      },
    });
    await commit(store, new SessionUnits('s').next(2));
    expect(await own(store, 's')).toMatchObject({ last_seq: 2 });
    expect(seen).toEqual(['s 1', 's 1']);
  });
});
