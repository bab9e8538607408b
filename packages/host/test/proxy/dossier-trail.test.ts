import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { DossierTrail } from '../../src/proxy/dossier-trail.ts';
import type { DossierEntry } from '../../src/store/ports/dossier.ts';
import { ManualClock } from '../manual-clock.ts';
import { runOf, termsOf } from './told-run.ts';

const terms = termsOf();

/** A trail to a store that answers when it is told to. */
function trail() {
  const clock = new ManualClock();
  const kept = new Map<string, DossierEntry>();
  const batches: number[] = [];
  const failures: string[] = [];
  const answers: ((error?: ApiError) => void)[] = [];
  const dossiers = new DossierTrail({
    clock,
    conceal: (config) => config,
    failed: ({ message }) => void failures.push(message),
    store: {
      append(entries) {
        batches.push(entries.length);
        return new Promise((resolve, reject) => {
          answers.push((error) => {
            if (error !== undefined) return reject(error);
            for (const entry of entries) kept.set(entry.run_id, entry);
            resolve();
          });
        });
      },
      get: async (run_id) => kept.get(run_id) ?? null,
    },
  });
  let runs = 0;
  const keep = (count: number) => {
    for (let n = 0; n < count; n += 1) {
      runs += 1;
      dossiers.keep(runOf(`r${runs}`, terms));
    }
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { clock, kept, batches, failures, answers, dossiers, keep, settled };
}

describe('what runs received, on its way to the store', () => {
  it('is sent many together, and a second after the first at the latest', () => {
    const { clock, batches, keep } = trail();
    keep(limits.dossier_batch + 1);
    expect(batches).toEqual([limits.dossier_batch]);
    clock.advance(limits.audit_delay - 1);
    keep(1);
    expect(batches).toHaveLength(1);
    clock.advance(1);
    expect(batches).toEqual([limits.dossier_batch, 2]);
    clock.advance(limits.audit_delay);
    expect(batches).toHaveLength(2);
  });

  it('can be read while it waits, and as soon as the store has it', async () => {
    const { clock, answers, dossiers, keep, settled } = trail();
    keep(1);
    expect(await dossiers.get('r1')).toMatchObject({ context: { run_id: 'r1' } });
    clock.advance(limits.audit_delay);
    let found: unknown = 'nothing yet';
    const finding = dossiers.get('r1').then((dossier) => {
      found = dossier;
    });
    await settled();
    expect(found).toBe('nothing yet');
    answers[0]?.();
    await finding;
    expect(found).toMatchObject({ context: { run_id: 'r1' }, grant: { run_id: 'r1' } });
    expect(await dossiers.get('r2')).toBeNull();
  });

  it('is not kept when the store refuses it, and what comes later is', async () => {
    const { answers, dossiers, failures, kept, keep, settled } = trail();
    keep(2 * limits.dossier_batch);
    answers[0]?.(new ApiError('runtime_error', 'The disk is full.'));
    answers[1]?.();
    await settled();
    expect(failures).toEqual(['The disk is full.']);
    expect(kept.size).toBe(limits.dossier_batch);
    expect(await dossiers.get('r1')).toBeNull();
  });

  it('is not kept when it comes faster than it is written, which is told once', async () => {
    const { answers, batches, failures, kept, keep, settled } = trail();
    keep(limits.dossier_queue + 3);
    expect(batches.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(limits.dossier_queue);
    for (const answer of answers) answer();
    await settled();
    expect(failures).toEqual(['What 3 runs received was not kept: they came faster than it is written.']);
    const before = kept.size;
    keep(limits.dossier_batch);
    for (const answer of answers) answer();
    await settled();
    expect(kept.size).toBeGreaterThan(before);
    expect(failures).toHaveLength(1);
  });

  it('is with the store before the host stops', async () => {
    const { answers, dossiers, kept, keep, settled } = trail();
    keep(limits.dossier_batch + 1);
    let hasStopped = false;
    const stopping = dossiers.stop().then(() => {
      hasStopped = true;
    });
    answers[1]?.();
    await settled();
    expect(hasStopped).toBe(false);
    answers[0]?.();
    await stopping;
    expect(kept.size).toBe(limits.dossier_batch + 1);
  });
});
