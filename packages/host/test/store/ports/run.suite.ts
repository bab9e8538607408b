import { AgentRunStatus } from '@rostra/protocol/api/runs';
import { limits } from '@rostra/protocol/wire/limits';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import { isTerminal, type RunPage, type RunRow } from '../../../src/store/ports/run.ts';
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

    it.each(['completed', 'failed', 'cancelled'] as const)('once %s it stays so (check 81)', async (status) => {
      const session_id = `run-2-${status}`;
      const units = new SessionUnits(session_id);
      const ended = runRow(session_id, `${session_id}.1`, { status, ended_at: 4 });
      await commit(store, units.next(1, { runs: [ended] }));
      const other = { ...ended, status: status === 'failed' ? 'completed' : 'failed' } as const;
      await expect(commit(store, units.next(1, { runs: [other], fresh: false }))).rejects.toThrow('cannot become');
      expect(await store.runs.get(`${session_id}.1`)).toEqual(ended);
    });

    it('has one of six statuses, and of these three are terminal (check 81)', () => {
      expect(AgentRunStatus.options).toEqual(['queued', 'running', 'interrupted', 'completed', 'failed', 'cancelled']);
      expect(AgentRunStatus.options.filter(isTerminal)).toEqual(['completed', 'failed', 'cancelled']);
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

    it('pages those of one status, or of one bot and thread, only', async () => {
      const units = new SessionUnits('run-7');
      const runs = [
        runRow('run-7', 'p7.1', { status: 'completed', ended_at: 4 }),
        runRow('run-7', 'p7.2', { status: 'failed', ended_at: 4, thread_id: 'x' }),
        runRow('run-7', 'p7.3', { status: 'cancelled', ended_at: 4, bot_id: 'b' }),
        runRow('run-7', 'p7.4', { status: 'failed', ended_at: 4 }),
      ];
      await commit(store, units.next(1, { runs }));
      const ids = async (page: RunPage) => (await store.runs.page('run-7', page)).rows.map(({ run_id }) => run_id);
      expect(await ids({ statuses: ['failed', 'cancelled'] })).toEqual(['p7.4', 'p7.3', 'p7.2']);
      expect(await ids({ statuses: [] })).toHaveLength(4);
      expect(await ids({ place: { bot_id: null, thread_id: null } })).toEqual(['p7.4', 'p7.1']);
      expect(await ids({ place: { bot_id: null, thread_id: 'x' } })).toEqual(['p7.2']);
      expect(await ids({ place: { bot_id: null, thread_id: null }, before: 'p7.4' })).toEqual(['p7.1']);
    });

    it('keeps what a run began with, and takes what its end says', async () => {
      const units = new SessionUnits('run-8');
      const begun = runRow('run-8', 'p8.1', { thread_id: 'x', first_seq: 3 });
      await commit(store, units.next(1, { runs: [begun] }));
      const end = { status: 'completed', ended_at: 9, last_seq: 7, tool_calls: 2, handovers: 1, waited: 5 } as const;
      await commit(store, units.next(1, { runs: [{ ...begun, ...end, thread_id: null, first_seq: null }] }));
      expect(await store.runs.get('p8.1')).toEqual({ ...begun, ...end });
    });

    it('gives the ended runs of one agent since an instant, from all sessions, in bounded steps', async () => {
      const of = (session_id: string, n: number, change: Partial<RunRow> = {}) =>
        runRow(session_id, `${session_id}.${n}`, {
          agent_id: 'spender',
          created_at: 5_000 + n,
          ended_at: 9_000,
          ...change,
        });
      const many = Array.from({ length: limits.sweep_rows }, (_, n) => of('run-9', n, { agent_id: 'other' }));
      await commit(
        store,
        new SessionUnits('run-10').next(1, { runs: [of('run-10', 1, { created_at: 4_999 }), of('run-10', 2)] }),
      );
      await commit(store, new SessionUnits('run-9').next(1, { runs: many }));
      const open = of('run-11', 2, { ended_at: null });
      await commit(store, new SessionUnits('run-11').next(1, { runs: [of('run-11', 1), open] }));
      const found: string[] = [];
      let before: number | undefined;
      do {
        const { rows, next } = await store.runs.endedSince('spender', 5_000, before);
        found.push(...rows.map(({ run_id }) => run_id));
        before = next ?? undefined;
      } while (before !== undefined);
      expect(found).toEqual(['run-11.1', 'run-10.2']);
    });

    it('nothing of a fenced unit is written', async () => {
      const stale = new SessionUnits('run-1', { epoch: 9, last_seq: 3 });
      expect(await commit(store, stale.next(1, { runs: [runRow('run-1', 'stale.1')] }))).toEqual(['fenced']);
      expect(await store.runs.get('stale.1')).toBeNull();
    });
  });
}
