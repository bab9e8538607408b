import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import { commit, runRow, SessionUnits } from '../session-units.ts';

/** The contract of the ledger of runs. */
export function describeRuns(open: () => Promise<HostStore>): void {
  describe('runs', () => {
    let store: HostStore;
    beforeAll(async () => {
      store = await open();
    });

    it('is written with its unit and replaced until it has ended', async () => {
      const units = new SessionUnits('run-1');
      const run = runRow('run-1', 'r1.1', { status: 'queued' });
      await commit(store, units.next(1, { runs: [run] }));
      expect(await store.runs.get('r1.1')).toEqual(run);
      const running = { ...run, status: 'running', started_at: 5 } as const;
      const ended = { ...running, status: 'completed', ended_at: 9, usage: { input_tokens: 3 } } as const;
      await commit(store, units.next(1, { runs: [running] }));
      await commit(store, units.next(1, { runs: [ended] }));
      expect(await store.runs.get('r1.1')).toEqual(ended);
      expect(await store.runs.get('nothing')).toBeNull();
    });

    it.each(['completed', 'failed', 'cancelled'] as const)('once %s it stays so', async (status) => {
      const session_id = `run-2-${status}`;
      const units = new SessionUnits(session_id);
      const ended = runRow(session_id, `${session_id}.1`, { status, ended_at: 4 });
      await commit(store, units.next(1, { runs: [ended] }));
      const other = { ...ended, status: status === 'failed' ? 'completed' : 'failed' } as const;
      await expect(commit(store, units.next(1, { runs: [other] }))).rejects.toThrow('cannot become');
      expect(await store.runs.get(`${session_id}.1`)).toEqual(ended);
    });

    it('unknown usage is null and not zero', async () => {
      await commit(store, new SessionUnits('run-3').next(1, { runs: [runRow('run-3', 'r3.1', { usage: null })] }));
      expect((await store.runs.get('r3.1'))?.usage).toBeNull();
    });

    it('gives the attempts at a turn in order', async () => {
      const attempts = [1, 2, 3].map((attempt) =>
        runRow('run-4', `t4.${attempt}`, { turn_id: 't4', attempt, status: 'failed' }),
      );
      await commit(store, new SessionUnits('run-4').next(1, { runs: [...attempts].reverse() }));
      expect(await store.runs.ofTurn('t4')).toEqual(attempts);
      expect(await store.runs.ofTurn('nothing')).toEqual([]);
    });

    it('pages the runs of a session, newest first, and no others', async () => {
      const runs = [1, 2, 3, 4, 5].map((n) => runRow('run-5', `p5.${n}`, { turn_id: `p5-${n}`, status: 'completed' }));
      await commit(store, new SessionUnits('run-5').next(1, { runs }));
      await commit(store, new SessionUnits('run-6').next(1, { runs: [runRow('run-6', 'p6.1')] }));
      const first = await store.runs.page('run-5', { limit: 2 });
      expect(first).toEqual({ rows: [runs[4], runs[3]], has_more: true });
      const rest = await store.runs.page('run-5', { before: 'p5.4', limit: 3 });
      expect(rest).toEqual({ rows: [runs[2], runs[1], runs[0]], has_more: false });
      expect(await store.runs.page('nobody')).toEqual({ rows: [], has_more: false });
    });

    it('lists what has not ended', async () => {
      const open = (await store.runs.listOpen(100)).map(({ run_id }) => run_id);
      expect(open).toContain('p6.1');
      expect(open).not.toContain('p5.1');
      expect(await store.runs.listOpen(1)).toHaveLength(1);
    });

    it('nothing of a fenced unit is written', async () => {
      const stale = new SessionUnits('run-1', { epoch: 9, last_seq: 3 });
      expect(await commit(store, stale.next(1, { runs: [runRow('run-1', 'stale.1')] }))).toEqual(['fenced']);
      expect(await store.runs.get('stale.1')).toBeNull();
    });
  });
}
