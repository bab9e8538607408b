import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import { message, text } from '../src/result.ts';
import type { RunTools } from '../src/runner.ts';
import { settle, stage } from './stage.ts';

const A_WHILE = 60_000;
const A_THIRD = limits.gather / 3;

/** Eight pieces, three in the time that one may wait, and one after a pause. */
async function* eightAndOne(_context: unknown, { sleep }: RunTools) {
  for (let n = 1; n <= 8; n += 1) {
    yield text(`${n} `);
    await sleep(A_THIRD);
  }
  await sleep(2 * limits.gather);
  yield text('late');
  await sleep(A_WHILE);
}

function watched() {
  const world = stage(eightAndOne);
  return {
    ...world,
    lines: (run_id = 'r1') => world.seen.filter((entry) => entry === `RESULTS ${run_id}`).length,
    pass: async (ms: number) => {
      for (let left = ms; left > 0; left -= A_THIRD) {
        world.clock.now += A_THIRD;
        world.timers.advance(A_THIRD);
        await settle();
      }
    },
  };
}

test('a piece after a pause leaves at once, those on its heels together as soon as it is long enough ago', async () => {
  const { run, pass, lines, text: said } = watched();
  void run();
  await settle();
  expect([lines(), said()]).toEqual([1, '1 ']);
  await pass(2 * A_THIRD);
  expect(lines()).toBe(1);
  await pass(A_THIRD);
  expect([lines(), said()]).toEqual([2, '1 2 3 4 ']);
  await pass(limits.gather);
  expect([lines(), said()]).toEqual([3, '1 2 3 4 5 6 7 ']);
  // Nothing follows the eighth: it waits its time, from when it was said.
  await pass(limits.gather);
  expect(lines()).toBe(3);
  await pass(A_THIRD);
  expect([lines(), said()]).toEqual([4, '1 2 3 4 5 6 7 8 ']);
  await pass(limits.gather);
  expect(lines()).toBe(4);
  await pass(A_THIRD);
  expect([lines(), said()]).toEqual([5, '1 2 3 4 5 6 7 8 late']);
});

test('what several runs say at that pace leaves at the same time', async () => {
  const { run, pass, lines, seen } = watched();
  void run('r1');
  await settle();
  await pass(A_THIRD);
  void run('r2');
  await settle();
  await pass(2 * A_THIRD);
  expect([lines('r1'), lines('r2')]).toEqual([1, 1]);
  // The first that waits is the second piece of the first run.
  await pass(A_THIRD);
  expect(seen.slice(-2)).toEqual(['RESULTS r1', 'RESULTS r2']);
  expect([lines('r1'), lines('r2')]).toEqual([2, 2]);
});

test('a run that has only begun to wait is left for the next time, and then waits no longer than any other', async () => {
  const { run, pass, lines } = watched();
  void run('r1');
  await settle();
  await pass(2 * A_THIRD);
  void run('r2');
  await settle();
  // The first run has waited its time, the second a third of it.
  await pass(2 * A_THIRD);
  expect([lines('r1'), lines('r2')]).toEqual([2, 1]);
  // By then what the first has said since is worth a line too: from here on they leave together.
  await pass(2 * A_THIRD);
  expect([lines('r1'), lines('r2')]).toEqual([3, 2]);
});

test('nobody waits until a clock that was set back has caught up', async () => {
  const { run, pass, lines, clock } = watched();
  void run('r1');
  await settle();
  await pass(A_THIRD);
  void run('r2');
  await settle();
  clock.now -= A_WHILE;
  await pass(limits.gather);
  expect([lines('r1'), lines('r2')]).toEqual([2, 2]);
});

test('a model at 20 ms per piece is told in twos after its first, and its next message begins at once', async () => {
  const world = stage(async function* (_context, { sleep }) {
    for (let n = 1; n <= 5; n += 1) {
      yield text(`${n} `);
      await sleep(20);
    }
    yield message('1 2 3 4 5 ');
    await sleep(1);
    yield text('next');
    await sleep(A_WHILE);
  });
  void world.run();
  await settle();
  const told = [world.results.length];
  for (let ms = 1; ms <= 101; ms += 1) {
    world.clock.now += 1;
    world.timers.advance(1);
    await settle();
    if (world.results.length !== told.at(-1)) told.push(world.results.length);
  }
  expect(told).toEqual([1, 3, 5, 6, 7]);
});

test('a cancel takes along what waits', async () => {
  const { run, cancel, seen, results } = stage(async function* (_context, { sleep }) {
    yield text('a');
    await settle();
    yield text('b');
    await sleep(A_WHILE);
  });
  const running = run();
  await settle();
  await settle();
  expect(results).toHaveLength(1);
  await cancel();
  await running;
  expect(results.map(([, type]) => type)).toEqual(['message.delta', 'message.delta', 'run.failed']);
  expect(seen.filter((entry) => entry.startsWith('RESULTS'))).toHaveLength(2);
});

test('nothing overtakes a piece that waits, and whoever wants everything to have left need not wait', async () => {
  const { run, seen, results } = stage(async function* (_context, { flushed }) {
    yield text('a');
    await settle();
    yield text('b');
    await flushed();
    await settle();
    seen.push('flushed');
    yield text('c');
    yield message('abc');
  });
  await run();
  expect(seen).toEqual(['RUN_ACCEPTED r1', 'RESULTS r1', 'RESULTS r1', 'flushed', 'RESULTS r1', 'answer r1']);
  expect(results.map(([, type]) => type)).toEqual([
    ...Array.from({ length: 3 }, () => 'message.delta'),
    'message.completed',
    'run.completed',
  ]);
});
