import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runnersOf } from '../crash/orphans.ts';
import { faultyHost, metric } from './faulty-host.ts';
import { type HostProcess, runInput } from './host-process.ts';
import { type Frame, textOf } from './sse-client.ts';
import { suspend } from './suspension.ts';

// One for each test: a runner that dies five times within a minute is not started again.
let host: HostProcess;
beforeEach(async () => {
  host = faultyHost();
  await host.start();
});
afterEach(async () => host.dispose());

const isLast = ({ event }: Frame) => event.type === 'RUN_FINISHED' || event.type === 'RUN_ERROR';

/** Posts one input, reads its stream to the end, and makes sure that the thread goes on afterwards. */
async function end(
  content: string,
  ended: () => Promise<void> = async () => undefined,
): Promise<{ frames: Frame[]; task: Record<string, unknown>; last: Frame['event'] }> {
  const { threadId } = runInput('');
  const taskId = await host.accept(content, { threadId });
  const frames = await host.events(taskId);
  // A reader that is too slow for what a runner pours is cut, and resumes.
  while (!frames.some(isLast)) frames.push(...(await host.events(taskId, { after: frames.at(-1)?.id ?? '' })));
  const last = frames.at(-1)?.event;
  if (last === undefined) throw new Error('the stream has no frames');
  expect(frames.filter(isLast)).toHaveLength(1);
  await ended();
  expect(textOf(await host.events(await host.accept('ok', { threadId })))).toBe('fine');
  return { frames, task: await host.task(taskId), last };
}

const runnerPids = () => runnersOf(join(host.data, 'runners', 'faulty')).map(({ pid }) => pid);

/** The process that the runs are in. A signal to no process would reach us all. */
function runnerPid(): number {
  const pid = Math.max(0, ...runnerPids());
  if (pid === 0) throw new Error('there is no runner process');
  return pid;
}

describe('a runner that dies', () => {
  test('with exit code 0 and no end of its run fails the turn once', async () => {
    const { last, task, frames } = await end('exit-quietly');
    expect(last).toMatchObject({ type: 'RUN_ERROR', code: 'runner.exited' });
    expect(task).toMatchObject({ status: 'failed', error: { code: 'runner.exited' } });
    expect(textOf(frames)).toBe('half');
  });

  test.each([0, 1, 2, 5])('by SIGKILL after %i chunks leaves those chunks and one end', async (count) => {
    const { last, frames } = await end(`die-after ${count}`);
    expect(last).toMatchObject({ type: 'RUN_ERROR', code: 'runner.exited' });
    expect(textOf(frames)).toBe(Array.from({ length: count }, (_, n) => `chunk-${n + 1} `).join(''));
  });

  test('between its acknowledgement and the first chunk never spoke', async () => {
    const { last, frames } = await end('die-accepted');
    expect(last).toMatchObject({ type: 'RUN_ERROR', code: 'runner.exited' });
    expect(frames.some(({ event }) => event.type.startsWith('TEXT_MESSAGE'))).toBe(false);
  });

  test('right after its end has completed the turn', async () => {
    // The end is told before the process is gone: a run that comes in between dies with it.
    const pid = runnerPid();
    const gone = () => vi.waitFor(() => expect(runnerPids()).not.toContain(pid), { timeout: 5000 });
    const { last, frames, task } = await end('die-final', gone);
    expect(last.type).toBe('RUN_FINISHED');
    expect(textOf(frames)).toBe('all of it');
    expect(task).toMatchObject({ status: 'completed' });
  });
});

describe('a runner that hangs', () => {
  test('before it acknowledges fails the turn at T_ack', async () => {
    const began = Date.now();
    const { last } = await end('no-accept');
    expect(last).toMatchObject({ type: 'RUN_ERROR', code: 'ROUTE_TIMEOUT' });
    expect(Date.now() - began).toBeLessThan(5000);
  });

  test('and acknowledges too late is shown to nobody, and counted', async () => {
    const before = await metric(host, 'rostra_misdeeds_total{kind="after_terminal"}');
    const { last, frames } = await end('late 800');
    expect(last).toMatchObject({ type: 'RUN_ERROR', code: 'ROUTE_TIMEOUT' });
    expect(textOf(frames)).toBe('');
    await expect
      .poll(() => metric(host, 'rostra_misdeeds_total{kind="after_terminal"}'), { timeout: 5000 })
      .toBeGreaterThan(before);
  });

  test('for ever after its acknowledgement fails the turn at the idle time, and is stopped', async () => {
    const { last } = await end('silent');
    expect(last).toMatchObject({ type: 'RUN_ERROR', code: 'deadline_exceeded' });
    expect(await metric(host, 'rostra_runs_live')).toBe(0);
  });

  test('and says one word now and then fails the turn at its deadline', async () => {
    const { last, frames } = await end('trickle');
    expect(last).toMatchObject({ type: 'RUN_ERROR', code: 'deadline_exceeded' });
    expect(textOf(frames)).toMatch(/^\.{5,}$/);
  });

  test('and does not hear a cancel is cut off at T_cancel', async () => {
    const { threadId } = runInput('');
    const taskId = await host.accept('deaf', { threadId });
    await host.events(taskId, { most: 3 });
    const began = Date.now();
    const cancelled = await host.cancel(taskId);
    expect(cancelled.body).toMatchObject({ status: 'cancelled' });
    expect(Date.now() - began).toBeLessThan(3000);
    const frames = await host.events(taskId);
    expect(frames.at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'cancelled' });
    expect(textOf(await host.events(await host.accept('ok', { threadId })))).toBe('fine');
  });

  test('in a loop and ignores SIGTERM is killed within two seconds of its cancel, and the host turns on', async () => {
    const taskId = await host.accept('busy');
    await host.events(taskId, { most: 3 });
    const busy = runnerPid();
    await metric(host, 'rostra_event_loop_lag_seconds{quantile="1"}');
    expect((await host.cancel(taskId)).body).toMatchObject({ status: 'cancelled' });
    await expect.poll(() => runnerPids().includes(busy), { timeout: 8000, interval: 100 }).toBe(false);
    expect(await metric(host, 'rostra_event_loop_lag_seconds{quantile="0.99"}')).toBeLessThan(0.1);
    expect(textOf(await host.events(await host.accept('ok')))).toBe('fine');
  });

  test('because it was stopped goes on when it is continued', async () => {
    const taskId = await host.accept('tick');
    await host.events(taskId, { most: 4 });
    await suspend(runnerPid(), 500);
    const frames = await host.events(taskId);
    expect(frames.at(-1)?.event.type).toBe('RUN_FINISHED');
    expect(textOf(frames)).toBe(Array.from({ length: 40 }, (_, n) => `${n + 1} `).join(''));
  });
});

describe('a runner that breaks the protocol', () => {
  test('with results of a run that it was not given changes nothing', async () => {
    const before = await metric(host, 'rostra_misdeeds_total{kind="foreign_run"}');
    const { last, frames } = await end('foreign');
    expect(last.type).toBe('RUN_FINISHED');
    expect(textOf(frames)).toBe('mine');
    expect(await metric(host, 'rostra_misdeeds_total{kind="foreign_run"}')).toBe(before + 2);
  });

  test('with lines and results that are none is heard where it makes sense', async () => {
    const { last, frames } = await end('malformed');
    expect(last.type).toBe('RUN_FINISHED');
    expect(textOf(frames)).toBe('still here');
    expect(host.output).not.toContain('\u001b');
  });

  test('with a line that does not end is stopped', async () => {
    const { last } = await end('oversize');
    expect(last).toMatchObject({ type: 'RUN_ERROR', code: 'runner.exited' });
  });
});

describe('a runner that says too much', () => {
  beforeEach(async () => {
    await host.dispose();
    host = faultyHost({ timeouts: {} });
    await host.start();
  });

  test('with 100 MB in one run fails it at its bound, in order', async () => {
    const { last, frames } = await end(`pour ${100 * 1024}`);
    expect(last).toMatchObject({ type: 'RUN_ERROR', code: 'payload_too_large' });
    const bytes = textOf(frames).length;
    expect(bytes).toBeGreaterThan(1024 * 1024);
    expect(bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
  });

  test('with more chunks than a turn may have fails it at that bound', async () => {
    const { last, frames } = await end('drip 1000000');
    expect(last).toMatchObject({ type: 'RUN_ERROR', code: 'payload_too_large' });
    expect(textOf(frames)).toMatch(/^y+$/);
  });
});
