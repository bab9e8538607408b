import { limits } from '@rostra/protocol/wire/limits';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import type { AuditEntry } from '../../../src/store/ports/audit.ts';

function entry(action: string, change: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: 1,
    workspace_id: 'w',
    actor: 'runner:demo',
    session_id: 's',
    run_id: 't.1',
    runner_id: 'demo',
    action,
    resource: null,
    scope: null,
    result: 'ok',
    details: null,
    ...change,
  };
}

/** The contract of the audit. */
export function describeAudit(open: () => Promise<HostStore>): void {
  describe('audit', () => {
    let store: HostStore;
    beforeAll(async () => {
      store = await open();
    });

    it('keeps entries in order and gives them back newest first', async () => {
      const workspace_id = 'order';
      const entries = ['a', 'b', 'c'].map((action) => entry(action, { workspace_id, details: { action } }));
      await store.audit.append(entries);
      await store.audit.append([]);
      const { rows, has_more } = await store.audit.page({ workspace_id }, { limit: 2 });
      expect(rows.map(({ id, ...rest }) => rest)).toEqual([entries[2], entries[1]]);
      expect(has_more).toBe(true);
      const before = rows[1]?.id ?? 0;
      expect((await store.audit.page({ workspace_id }, { before })).rows.map(({ action }) => action)).toEqual(['a']);
    });

    it('is read by workspace, by session and by run', async () => {
      const workspace_id = 'filter';
      await store.audit.append([
        entry('1', { workspace_id }),
        entry('2', { workspace_id, session_id: 'other' }),
        entry('3', { workspace_id, run_id: 'other' }),
        entry('4', { workspace_id, session_id: null, run_id: null }),
        entry('5', { workspace_id: 'elsewhere' }),
      ]);
      const actions = async (filter: { session_id?: string; run_id?: string }) =>
        (await store.audit.page({ workspace_id, ...filter })).rows.map(({ action }) => action);
      expect(await actions({})).toEqual(['4', '3', '2', '1']);
      expect(await actions({ session_id: 's' })).toEqual(['3', '1']);
      expect(await actions({ run_id: 't.1' })).toEqual(['2', '1']);
      expect(await actions({ session_id: 's', run_id: 't.1' })).toEqual(['1']);
    });

    it('is swept from its old end, some rows at a time', async () => {
      const workspace_id = 'swept';
      const old = Array.from({ length: limits.sweep_rows + 10 }, (_, n) => entry(`${n}`, { workspace_id, at: 10 }));
      await store.audit.append([...old, entry('young', { workspace_id, at: 20 })]);
      let removed = 0;
      for (let step = await store.audit.sweep(20); step > 0; step = await store.audit.sweep(20)) {
        expect(step).toBeLessThanOrEqual(limits.sweep_rows);
        removed += step;
      }
      expect(removed).toBeGreaterThanOrEqual(old.length);
      expect((await store.audit.page({ workspace_id })).rows.map(({ action }) => action)).toEqual(['young']);
    });

    it('never gives an id again', async () => {
      const workspace_id = 'ids';
      await store.audit.append([entry('a', { workspace_id })]);
      const first = (await store.audit.page({ workspace_id })).rows[0]?.id ?? 0;
      while ((await store.audit.sweep(1_000)) > 0);
      await store.audit.append([entry('b', { workspace_id })]);
      expect((await store.audit.page({ workspace_id })).rows[0]?.id).toBeGreaterThan(first);
    });
  });
}
