/** A part of what `npm run oracle` does at length. */

import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { apiMethods } from '@rostra/protocol/api/api-methods';
import { expect, test } from 'vitest';
import { occurrences } from './mutation/patched-bundle.ts';
import { bundleOracle } from './oracle/bundle.ts';
import { findMutant, mutants } from './oracle/mutants.ts';
import { consult } from './oracle/pool.ts';

const CALLS = 10_000;
const jobs = availableParallelism();
/** Served by hosts that have models, tools and knowledge. */
const elsewhere = /^(models|tools|knowledge)\./;

test('the oracle agrees with answer and audit row of 10,000 random calls', async () => {
  const report = await consult(await bundleOracle(), { seed: 1, calls: CALLS, jobs });
  expect(report.disagreements).toEqual([]);
  expect(report.calls).toBe(CALLS);
  expect(report.failed_runs).toBeGreaterThan(10);
  const missing = Object.keys(apiMethods).flatMap((method) => {
    const outcomes =
      elsewhere.test(method) || method === 'interactions.wait' ? ['unauthorized'] : ['ok', 'unauthorized'];
    return outcomes.map((outcome) => `${method} ${outcome}`).filter((each) => report.outcomes[each] === undefined);
  });
  expect(missing).toEqual([]);
  const codes = new Set(Object.keys(report.outcomes).map((each) => each.split(' ')[1]));
  const all = [
    'ok',
    'unauthorized',
    'not_found',
    'deadline_exceeded',
    'rate_limited',
    'invalid_argument',
    'payload_too_large',
  ];
  expect(all.filter((code) => !codes.has(code))).toEqual([]);
}, 60_000);

test.for(['deadline-before-grant', 'refusal-not-audited', 'any-thread', 'other-bots-history'])(
  'the bug %s is found',
  { timeout: 30_000 },
  async (id) => {
    const { disagreements } = await consult(await bundleOracle(findMutant(id)), { seed: 1, calls: CALLS, jobs });
    expect(disagreements).not.toEqual([]);
  },
);

test('every bug has its one place in the source, and its own name', async () => {
  const lost: string[] = [];
  for (const mutant of mutants) if ((await occurrences(mutant)) !== 1) lost.push(mutant.id);
  expect(lost).toEqual([]);
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
});

test('the model shares no code with the host, its gate or its families', () => {
  const folder = new URL('./oracle/model/', import.meta.url);
  const imports = readdirSync(folder).flatMap((file) =>
    [...readFileSync(new URL(file, folder), 'utf8').matchAll(/^import (?!type ).*from '(@rostra\/[^']+)'/gm)].map(
      ([, from]) => from,
    ),
  );
  expect(imports).toEqual([]);
});
