import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import { CreditWindow } from '../src/credit-window.ts';
import { text } from '../src/result.ts';
import { settle, stage } from './stage.ts';

function flood(content = 'x') {
  const counter = { pulled: 0 };
  const staged = stage(async function* () {
    for (;;) {
      counter.pulled += 1;
      yield text(content);
    }
  });
  return { ...staged, counter };
}

test('a generator is not pulled further than its credit in results', async () => {
  const { run, counter, results, credit, lineBytes, cancel } = flood();
  const running = run();
  await settle();
  expect(counter.pulled).toBe(limits.credit_results);
  expect(results).toHaveLength(limits.credit_results);
  credit(100, Math.floor(lineBytes[0]! / 2));
  await settle();
  expect(results).toHaveLength(limits.credit_results + 100);
  expect(results.map(([sequence]) => sequence)).toEqual(results.map((_, k) => k + 1));
  await Promise.all([cancel(), running]);
});

test('nor further than its credit in bytes, counted by the lines that carried them', async () => {
  const { run, lineBytes, credit, cancel } = flood('x'.repeat(10_000));
  const sent = () => lineBytes.reduce((sum, bytes) => sum + bytes, 0);
  const running = run();
  await settle();
  expect(sent()).toBeGreaterThanOrEqual(limits.credit_bytes);
  expect(sent()).toBeLessThan(limits.credit_bytes + 10_200);
  const before = sent();
  credit(1, before - limits.credit_bytes);
  await settle();
  expect(sent()).toBe(before);
  credit(1, 1);
  await settle();
  expect(sent()).toBeGreaterThan(before);
  await Promise.all([cancel(), running]);
});

test('a run that waits for credit can be cancelled', async () => {
  const { run, cancel, last } = flood();
  const running = run();
  await settle();
  await Promise.all([cancel(), running]);
  expect(last()).toMatchObject([limits.credit_results + 1, 'run.failed', { code: 'cancelled' }]);
});

test('a run without credit does not hold its neighbour', async () => {
  const { run, cancel, seen } = stage(async function* ({ run_id }) {
    if (run_id === 'r1') for (;;) yield text('x');
    yield text('y');
  });
  const running = run('r1');
  await settle();
  await run('r2');
  expect(seen).toContain('answer r2');
  await Promise.all([cancel('r1'), running]);
});

test('a host that does not read stops the generators before their credit does', async () => {
  const { run, counter, hostEnd, credit, cancel } = flood('x'.repeat(1000));
  hostEnd.readable.pause();
  const running = run();
  for (let k = 0; k < 20; k += 1) {
    await settle();
    credit(limits.credit_results, limits.credit_bytes);
  }
  const pulled = counter.pulled;
  await settle();
  expect(counter.pulled).toBe(pulled);
  expect(pulled).toBeLessThan(limits.credit_results * 4);
  hostEnd.readable.resume();
  await Promise.all([cancel(), running]);
});

test('credit for a run that is over, or that is none, is ignored', async () => {
  const { run, host, credit, warnings } = stage(async function* () {
    yield text('a');
  });
  await run();
  credit(1, 1);
  host.notify('RUN_CREDIT', { run_id: 'r1', results: -1 });
  await settle();
  expect(warnings).toHaveLength(1);
});

test('a window whose results were all given back is whole, however its bytes were counted', () => {
  const window = new CreditWindow();
  window.charge(3, limits.credit_bytes);
  window.giveBack(2, 10);
  expect(window.isOpen).toBe(true);
  window.charge(0, 10);
  expect(window.isOpen).toBe(false);
  window.giveBack(1, 0);
  expect(window.isOpen).toBe(true);
  window.charge(0, limits.credit_bytes - 1);
  expect(window.isOpen).toBe(true);
});

test('more credit than was used does not widen the window', () => {
  const window = new CreditWindow();
  window.giveBack(1000, 1_000_000);
  window.charge(limits.credit_results, 1);
  expect(window.isOpen).toBe(false);
});
