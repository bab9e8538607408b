import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { AuditTrail } from '../../src/proxy/audit-trail.ts';
import type { AuditEntry } from '../../src/store/ports/audit.ts';
import { ManualClock } from '../manual-clock.ts';

const entry = (n: number): AuditEntry => ({
  at: n,
  workspace_id: 'w',
  actor: 'runner:fixture',
  session_id: 'c',
  run_id: 'r1',
  runner_id: 'fixture',
  action: 'history.page',
  resource: null,
  scope: 'conversation',
  result: 'ok',
  details: {},
});

function trail() {
  const clock = new ManualClock();
  const batches: AuditEntry[][] = [];
  const failures: string[] = [];
  const store = { broken: false };
  const audit = new AuditTrail({
    clock,
    failed: ({ message }) => void failures.push(message),
    store: {
      async append(entries) {
        if (store.broken) throw new ApiError('runtime_error', 'The disk is full.');
        batches.push(entries);
      },
    },
  });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, batches, failures, store, audit, settled };
}

describe('the rows of the audit', () => {
  it('are written together, a second after the first at the latest', async () => {
    const { clock, batches, audit, settled } = trail();
    audit.add(entry(1));
    clock.advance(limits.audit_delay - 1);
    audit.add(entry(2));
    await settled();
    expect(batches).toEqual([]);
    clock.advance(1);
    await settled();
    expect(batches).toEqual([[entry(1), entry(2)]]);
    expect(clock.armed).toBe(0);
  });

  it('are written at once when there are a hundred', async () => {
    const { batches, audit, settled } = trail();
    for (let n = 0; n < 250; n += 1) audit.add(entry(n));
    await settled();
    expect(batches.flat().map(({ at }) => at)).toEqual(Array.from({ length: 250 }, (_, n) => n));
    expect(Math.max(...batches.map(({ length }) => length))).toBe(limits.audit_batch);
  });

  it('are all there after a stop, in their order', async () => {
    const { batches, audit, clock } = trail();
    for (let n = 0; n < 130; n += 1) audit.add(entry(n));
    const stopping = audit.stop();
    audit.add(entry(130));
    await stopping;
    expect(batches.flat().map(({ at }) => at)).toEqual(Array.from({ length: 131 }, (_, n) => n));
    expect(clock.armed).toBe(0);
  });

  it('wait for a store that refuses, and are written once it does not', async () => {
    const { clock, batches, failures, store, audit, settled } = trail();
    store.broken = true;
    audit.add(entry(1));
    await audit.flush();
    expect(failures).toEqual(['The disk is full.']);
    expect(audit.waiting).toBe(1);
    store.broken = false;
    clock.advance(limits.audit_delay);
    await settled();
    expect(batches).toEqual([[entry(1)]]);
  });

  it('never pile up without bound: a row says how many are missing', async () => {
    const { batches, store, audit } = trail();
    store.broken = true;
    for (let n = 0; n < limits.audit_queue + 7; n += 1) audit.add(entry(n));
    expect(audit.waiting).toBe(limits.audit_queue);
    store.broken = false;
    await audit.stop();
    const rows = batches.flat();
    expect(rows).toHaveLength(limits.audit_queue + 1);
    expect(rows.find(({ action }) => action === 'audit.overflow')).toMatchObject({
      details: { rows: 7 },
      actor: 'host',
    });
  });
});
