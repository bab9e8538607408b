import { beforeEach, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import type { DossierEntry } from '../../../src/store/ports/dossier.ts';
import { commit, runRow, SessionUnits } from '../session-units.ts';

function entry(run_id: string, change: Partial<DossierEntry> = {}): DossierEntry {
  return { run_id, context: `{"run_id":"${run_id}"}`, grant: '{}', terms: null, ...change };
}

/** The contract of what is kept of runs, and of the lists that management is made of. */
export function describeDossiers(open: () => Promise<HostStore>): void {
  describe('dossiers', () => {
    let store: HostStore;
    beforeEach(async () => {
      store = await open();
      const runs = [1, 9].map((n) => runRow('s', `r${n}`, { turn_id: `t${n}`, created_at: n }));
      await commit(store, new SessionUnits('s').next(1, { runs }));
    });

    it('gives back what was kept; the first word on a run stays', async () => {
      await store.dossiers.append([entry('r1'), entry('r9')]);
      await store.dossiers.append([entry('r1', { context: '"other"' })]);
      expect(await store.dossiers.get('r1')).toEqual(entry('r1'));
      expect(await store.dossiers.get('nothing')).toBeNull();
    });

    it('is kept of runs that there are, and of no others', async () => {
      await store.dossiers.append([entry('r2')]);
      expect(await store.dossiers.get('r2')).toBeNull();
      expect(await store.dossiers.get('r1')).toBeNull();
    });

    it('is no part of what the ledger reads', async () => {
      const run = await store.runs.get('r1');
      await store.dossiers.append([entry('r1')]);
      expect(await store.runs.get('r1')).toEqual(run);
    });

    it('what many runs were told alike is kept once, and given back with each of them', async () => {
      const terms = { id: 'same', text: '{"granted":{}}' };
      // Reading has all rows written that wait.
      await store.runs.get('r1');
      const before = await store.stats();
      await store.dossiers.append([entry('r1', { terms }), entry('r9', { terms })]);
      await store.dossiers.append([entry('r1', { terms })]);
      expect((await store.stats()).inserts - before.inserts).toBeLessThanOrEqual(3);
      expect(await store.dossiers.get('r1')).toEqual(entry('r1', { terms }));
      expect(await store.dossiers.get('r9')).toEqual(entry('r9', { terms }));
    });

    it('goes with its session, at once, also when it comes later', async () => {
      await store.dossiers.append([entry('r1')]);
      await store.sessions.remove('s', { at: 1, why: 'user:owner' });
      expect(await store.dossiers.get('r1')).toBeNull();
      while (await store.sessions.purge());
      await store.dossiers.append([entry('r1'), entry('r9')]);
      expect([await store.dossiers.get('r1'), await store.dossiers.get('r9')]).toEqual([null, null]);
    });

    it('is swept by the age of its run, which stays', async () => {
      await store.dossiers.append([entry('r1'), entry('r9')]);
      expect(await store.dossiers.sweep(5)).toBe(1);
      expect(await store.dossiers.get('r1')).toBeNull();
      expect(await store.runs.get('r1')).not.toBeNull();
      expect(await store.dossiers.get('r9')).not.toBeNull();
    });
  });

  describe('what reports are made of', () => {
    let store: HostStore;
    beforeEach(async () => {
      store = await open();
    });

    it('the ledger of a span has its runs, ended or not, of one workspace', async () => {
      const runs = [1, 2, 3, 4].map((n) => runRow('s', `t${n}.1`, { turn_id: `t${n}`, created_at: n * 10 }));
      const units = new SessionUnits('s');
      const { workspace_id = '' } = units.next(0).created ?? {};
      await commit(store, new SessionUnits('s').next(1, { runs }));
      const read = async (since: number, until: number, of = workspace_id) => {
        const { rows, next } = await store.runs.ledger({ workspace_id: of, since, until });
        expect(next).toBeNull();
        return rows.map(({ run_id }) => run_id);
      };
      expect(await read(20, 40)).toEqual(['t3.1', 't2.1']);
      expect(await read(0, 100)).toHaveLength(4);
      expect(await read(0, 100, 'elsewhere')).toEqual([]);
    });

    it('sessions with an active agent are those that are not closed', async () => {
      const context = (state: string, active_agent_id: string | null) => JSON.stringify({ state, active_agent_id });
      const { workspace_id = '' } = new SessionUnits('x').next(0).created ?? {};
      await commit(store, new SessionUnits('open').next(1, { context: context('OPEN', 'guide') }));
      await commit(store, new SessionUnits('closed').next(1, { context: context('CLOSED', 'guide') }));
      await commit(store, new SessionUnits('other').next(1, { context: context('OPEN', 'scout') }));
      expect(await store.sessions.activeWith(workspace_id, 'guide')).toEqual(['open']);
      expect(await store.sessions.activeWith('elsewhere', 'guide')).toEqual([]);
    });

    it('the audit is read by actor, action, result and time', async () => {
      const row = { workspace_id: 'w', session_id: null, run_id: null, runner_id: null, resource: null, scope: null };
      const add = (at: number, actor: string, action: string, result: string) =>
        store.audit.append([{ ...row, at, actor, action, result, details: null }]);
      await add(10, 'a', 'x', 'ok');
      await add(20, 'b', 'y', 'ok');
      await add(30, 'b', 'x', 'unauthorized');
      const read = async (filter: object) => {
        const { rows } = await store.audit.page({ workspace_id: 'w', ...filter });
        return rows.map(({ at }) => at);
      };
      expect(await read({ actor: 'b' })).toEqual([30, 20]);
      expect(await read({ action: 'x' })).toEqual([30, 10]);
      expect(await read({ result: 'ok' })).toEqual([20, 10]);
      expect(await read({ since: 20, until: 30 })).toEqual([20]);
    });
  });
}
