/** A part of what `npm run sim` and `npm run sim:mutants` do at length. */

import { expect, test } from 'vitest';
import { occurrences } from './mutation/patched-bundle.ts';
import { bundleSimulator } from './simulation/bundle.ts';
import { huntMutant } from './simulation/mutants/hunt.ts';
import { findMutant, mutants } from './simulation/mutants/mutants.ts';
import { defaultJobs, simulate } from './simulation/pool.ts';

const chosen = [
  'accepted-missing',
  'queue-reversed',
  'terminal-twice',
  'no-dedupe',
  'wrong-agent',
  'final-beats-cancel',
  'switch-to-itself',
  'handover-without-stopping',
  'publish-before-commit',
  'fenced-unit-published',
];

test('no invariant breaks in 1,000 schedules, and every fault and every condition occurs in them', async () => {
  const file = await bundleSimulator();
  const report = await simulate(file, { seed: 1, schedules: 1000, jobs: defaultJobs(), stopAtViolation: true });
  expect(report.failure).toBeNull();
  expect(report.schedules).toBe(1000);
  const absent = (counts: Record<string, number>) => Object.keys(counts).filter((name) => counts[name] === 0);
  expect(absent(report.faults)).toEqual([]);
  expect(absent(report.premises)).toEqual([]);
  expect(report.messages / report.schedules).toBeGreaterThanOrEqual(40);
  const faults = Object.values(report.faults).reduce((sum, count) => sum + count, 0);
  expect(faults / report.schedules).toBeGreaterThanOrEqual(3);
}, 60_000);

test('the same seed gives the same schedules, however many threads run them', async () => {
  const file = await bundleSimulator();
  const alone = await simulate(file, { seed: 7, schedules: 200, jobs: 1, stopAtViolation: false });
  const together = await simulate(file, { seed: 7, schedules: 200, jobs: 2, stopAtViolation: false });
  expect(together.hash).toBe(alone.hash);
}, 30_000);

test('another seed gives other schedules', async () => {
  const file = await bundleSimulator();
  const [one, other] = [7, 8].map((seed) => simulate(file, { seed, schedules: 50, jobs: 1, stopAtViolation: false }));
  expect((await other)?.hash).not.toBe((await one)?.hash);
}, 30_000);

test.for(chosen)('the bug %s is found', { timeout: 30_000 }, async (id) => {
  const { killed } = await huntMutant(findMutant(id), 1, 1000);
  expect(killed).not.toBeNull();
});

test('every bug has its one place in the source, and its own name', async () => {
  const lost: string[] = [];
  for (const mutant of mutants) if ((await occurrences(mutant)) !== 1) lost.push(mutant.id);
  expect(lost).toEqual([]);
  expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
  expect(mutants.length).toBeGreaterThanOrEqual(40);
});
