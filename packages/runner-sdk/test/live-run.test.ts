import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import { completed, failed, message, text } from '../src/result.ts';
import { settle, stage } from './stage.ts';

async function* nothing() {
  // Ends without a result.
}
const A_WHILE = 60_000;
const never = new Promise<never>(() => undefined);

test('a run is accepted before its first result and answered after its last', async () => {
  const { run, seen } = stage(async function* () {
    yield text('a');
    await settle();
    yield text('b');
    yield completed();
  });
  expect(await run()).toEqual({ run_id: 'r1' });
  expect(seen).toEqual(['RUN_ACCEPTED r1', 'RESULTS r1', 'RESULTS r1', 'answer r1']);
});

test('fifty chunks yielded in one go leave as one line, together with the end of the run', async () => {
  const { run, seen, results, hostEnd } = stage(async function* () {
    for (let n = 1; n <= 50; n += 1) yield text(`chunk-${n} `);
    yield completed();
  });
  const reads: Buffer[] = [];
  hostEnd.readable.on('data', (chunk) => reads.push(chunk));
  await run();
  expect(seen).toEqual(['RUN_ACCEPTED r1', 'RESULTS r1', 'answer r1']);
  expect(results.map(([sequence]) => sequence)).toEqual(Array.from({ length: 51 }, (_, k) => k + 1));
  expect(reads).toHaveLength(1);
});

test('a host of the same version gets the pieces of a line in one element, any other host each for itself', async () => {
  const speak = async function* () {
    for (const piece of ['a ', '"b" ', '数据库 ', '', 'c']) yield text(piece);
    yield message('abc');
    yield text('d');
    yield completed();
  };
  const kin = stage(speak);
  await kin.list();
  await kin.run();
  const other = stage(speak);
  await other.list('1.0');
  await other.run();
  expect(kin.elements).toEqual([6]);
  expect(other.elements).toEqual([8]);
  expect(kin.results).toEqual(other.results);
});

test('results of two runs in one tick are one line each, in one write', async () => {
  const { run, seen, hostEnd } = stage(async function* ({ run_id }) {
    yield text(run_id);
    yield text('!');
  });
  const reads: Buffer[] = [];
  hostEnd.readable.on('data', (chunk) => reads.push(chunk));
  await Promise.all([run('r1'), run('r2')]);
  expect(seen.filter((entry) => entry.startsWith('RESULTS'))).toEqual(['RESULTS r1', 'RESULTS r2']);
  expect(reads).toHaveLength(1);
});

test('a generator that ends without a terminal result has completed', async () => {
  const { run, results } = stage(async function* () {
    yield message('done');
  });
  await run();
  expect(results.map(([, type]) => type)).toEqual(['message.completed', 'run.completed']);
});

test.each([
  ['hello', '"hello" was yielded, which is no result.'],
  [undefined, 'undefined was yielded, which is no result.'],
  [{ type: 'message.delta' }, '{"type":"message.delta"} was yielded, which is no result.'],
])('%j yielded in place of a result is named', async (value, sentence) => {
  async function* yielding() {
    yield text('a');
    yield value;
  }
  // @ts-expect-error: authors without a compiler are told at the run.
  const { run, last, text: said } = stage(yielding);
  await run();
  expect(said()).toBe('a');
  expect(last()).toMatchObject([2, 'run.failed', { code: 'runner.error', message: expect.stringContaining(sentence) }]);
});

test('a run that is no generator is told how to be one, and its own error goes before that', async () => {
  // @ts-expect-error: authors without a compiler are told at the run.
  const answers = stage(async () => 'hi');
  await answers.run();
  expect(answers.last()?.[2]).toMatchObject({ message: expect.stringContaining('async *run(context, run)') });
  // @ts-expect-error: the same.
  const fails = stage(() => Promise.reject(new Error('boom')));
  await fails.run();
  expect(fails.last()?.[2]).toMatchObject({ message: 'boom' });
});

test('a generator that throws has failed, and its log says where', async () => {
  const {
    run,
    last,
    text: said,
    warnings,
  } = stage(async function* () {
    yield text('so far ');
    throw new Error('no such model');
  });
  await run();
  expect(said()).toBe('so far ');
  expect(last()?.slice(1)).toEqual([
    'run.failed',
    { code: 'runner.error', message: 'no such model', error: 'no such model', retryable: false },
  ]);
  expect(warnings.join()).toMatch(/no such model\n {4}at /);
});

test.each<[what: string, thrown: unknown, said: string]>([
  ['an error without words', new AggregateError([new Error('refused')], ''), 'AggregateError'],
  ['no error', 'a word', 'a word'],
  ['nothing', undefined, 'undefined'],
  ['what has no words at all', Object.create(null), 'What was thrown cannot be read.'],
])('a generator that throws %s has failed in words, and the process serves on', async (_, thrown, said) => {
  const { run, last } = stage(async function* () {
    yield text('a');
    throw thrown;
  });
  expect(await run('r1')).toEqual({ run_id: 'r1' });
  expect(last()?.[2]).toMatchObject({ code: 'runner.error', message: said });
  expect(await run('r2')).toEqual({ run_id: 'r2' });
});

test('a run function that throws before it iterates has failed, and the process serves on', async () => {
  let isFirst = true;
  const { run, results } = stage(() => {
    if (!isFirst) return nothing();
    isFirst = false;
    throw new Error('at once');
  });
  await run('r1');
  await run('r2');
  expect(results.map(([, type]) => type)).toEqual(['run.failed', 'run.completed']);
});

test('what follows a terminal result is dropped with a line in the log', async () => {
  let isCleanedUp = false;
  const { run, results, warnings } = stage(async function* () {
    try {
      yield failed('mine', 'on purpose');
      yield text('too late');
      yield text('never asked for');
    } finally {
      isCleanedUp = true;
    }
  });
  await run();
  expect(results.map(([, type]) => type)).toEqual(['run.failed']);
  expect(warnings).toEqual(['run r1: message.delta after the terminal result was dropped']);
  expect(isCleanedUp).toBe(true);
});

test('a result over the limit fails the run by that name, and the generator is ended', async () => {
  let isCleanedUp = false;
  const { run, last } = stage(async function* () {
    try {
      yield text('x'.repeat(limits.result_bytes));
    } finally {
      isCleanedUp = true;
    }
  });
  await run();
  expect(last()).toMatchObject([1, 'run.failed', { code: 'payload_too_large' }]);
  expect(isCleanedUp).toBe(true);
});

test('a large result in several scripts crosses unchanged', async () => {
  const content = '数据库 🚀 "quoted"\n'.repeat(20_000);
  const {
    run,
    text: said,
    credit,
  } = stage(async function* () {
    yield text(content);
  });
  const running = run();
  await settle();
  // It is larger than the window: the run goes on when the host has committed it.
  credit(1, limits.result_bytes);
  await running;
  expect(said()).toBe(content);
});

test('a generator that listens stops, and the cancel is answered after its last result', async () => {
  const { run, cancel, seen, last } = stage(async function* (_, { sleep }) {
    yield text('before');
    await sleep(A_WHILE);
    yield text('after');
  });
  const running = run();
  await settle();
  await cancel().then(() => seen.push('cancelled'));
  await running;
  expect(last()).toMatchObject([2, 'run.failed', { code: 'cancelled' }]);
  expect(seen.indexOf('cancelled')).toBeGreaterThan(seen.lastIndexOf('RESULTS r1'));
});

test('a generator that does not look at the signal ends at its next yield, and cleans up', async () => {
  let release: () => void = () => undefined;
  let isCleanedUp = false;
  const { run, cancel, results } = stage(async function* () {
    try {
      yield text('a');
      await new Promise<void>((resolve) => (release = resolve));
      yield text('b');
    } finally {
      isCleanedUp = true;
    }
  });
  const running = run();
  await settle();
  const cancelled = cancel();
  await settle();
  release();
  await Promise.all([cancelled, running]);
  expect(results.map(([, type]) => type)).toEqual(['message.delta', 'run.failed']);
  expect(isCleanedUp).toBe(true);
});

test('a cancelled generator may still say in its own words how it ended', async () => {
  const { run, cancel, last } = stage(async function* (_, { sleep }) {
    yield text('a');
    await sleep(A_WHILE).catch(() => undefined);
    yield { type: 'run.failed', data: { code: 'cancelled', message: 'stopped', usage: { total_tokens: 7 } } };
  });
  const running = run();
  await settle();
  await Promise.all([cancel(), running]);
  expect(last()?.[2]).toEqual({ code: 'cancelled', message: 'stopped', usage: { total_tokens: 7 } });
});

test('a generator that ignores the signal leaves the cancel unanswered, and the process answers others', async () => {
  const { run, cancel, host, seen } = stage(async function* ({ run_id }) {
    yield text('a');
    if (run_id === 'r1') await never;
  });
  let isAnswered = false;
  void run().then(
    () => undefined,
    () => undefined,
  );
  await settle();
  void cancel().then(
    () => (isAnswered = true),
    () => undefined,
  );
  await settle();
  expect(isAnswered).toBe(false);
  expect(await host.request('PING')).toEqual({});
  await run('r2');
  expect(seen).toContain('answer r2');
});

test('a cancel that overtakes its run stops it before it begins', async () => {
  let hasBegun = false;
  const { run, cancel, results, seen } = stage(async function* () {
    hasBegun = true;
    yield text('a');
  });
  await cancel('r1');
  await run('r1');
  expect(hasBegun).toBe(false);
  expect(seen[0]).toBe('RUN_ACCEPTED r1');
  expect(results).toMatchObject([[1, 'run.failed', { code: 'cancelled' }]]);
});

test('every live run gives a sign of life each period, and none after its end', async () => {
  const { run, timers, seen, cancel } = stage(async function* ({ run_id }, { sleep }) {
    if (run_id === 'short') return;
    yield text('a');
    await sleep(limits.runner_alive * 10);
  });
  const running = run('long');
  await run('short');
  for (let k = 0; k < 3; k += 1) {
    timers.advance(limits.runner_alive);
    await settle();
  }
  await cancel('long');
  await running;
  timers.advance(limits.runner_alive);
  await settle();
  expect(seen.filter((entry) => entry.startsWith('RUN_ALIVE'))).toEqual(Array(3).fill('RUN_ALIVE long'));
});

test('flushed tells that what was yielded has left', async () => {
  let leftAt = -1;
  const { run, results } = stage(async function* (_, { flushed }) {
    yield text('a');
    yield text('b');
    await flushed();
    await settle();
    leftAt = results.length;
  });
  await run();
  expect(leftAt).toBe(2);
});

test('pauses at the same time end in their own order, and a cancel ends those that are left', async () => {
  const ends: string[] = [];
  const { run, cancel, timers, last } = stage(async function* (_context, tools) {
    yield text('a');
    const pauses = [30, 10, 20, A_WHILE, A_WHILE].map((ms) =>
      tools.sleep(ms).then(
        () => ends.push(`${ms}`),
        (reason: Error) => ends.push(reason.name),
      ),
    );
    await Promise.all(pauses);
    // Looked at for the first time when the run is cancelled already.
    ends.push(`${tools.signal.aborted}`);
    await tools.sleep(1);
  });
  const running = run();
  await settle();
  timers.advance(30);
  await settle();
  expect(ends).toEqual(['10', '20', '30']);
  await cancel();
  await running;
  expect(ends).toEqual(['10', '20', '30', 'AbortError', 'AbortError', 'true']);
  expect(last()).toMatchObject([2, 'run.failed', { code: 'cancelled' }]);
});

test('a pause of no time ends with the next turn of the event loop, for all runs at once, and not well for a cancelled one', async () => {
  const ends: string[] = [];
  const { run, cancel, timers, last } = stage(async function* (_context, { sleep }) {
    yield text('a');
    await Promise.all([sleep(0), sleep(0)]);
    ends.push('passed');
    await sleep(0).catch((reason: Error) => ends.push(reason.name));
    await sleep(0).catch((reason: Error) => ends.push(reason.name));
  });
  const running = run();
  await settle();
  expect(ends).toEqual([]);
  timers.advance(0);
  await settle();
  expect(ends).toEqual(['passed']);
  const cancelled = cancel();
  await settle();
  timers.advance(0);
  await cancelled;
  await running;
  expect(ends).toEqual(['passed', 'AbortError', 'AbortError']);
  expect(last()).toMatchObject([2, 'run.failed', { code: 'cancelled' }]);
});
