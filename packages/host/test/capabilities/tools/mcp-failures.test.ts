import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ToolServerConfig } from '@rostra/protocol/config/tool-config';
import { limits } from '@rostra/protocol/wire/limits';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ManualClock } from '../../manual-clock.ts';
import { bench, isFailed, isReady, wild } from './shelf-bench.ts';

test('a server that dies in the middle of a call fails that call as retryable and comes back (fault 15)', async () => {
  const { when, call } = bench({ wild: wild() });
  await when('wild', isReady);
  const others = call('wild__hang').catch((error: unknown) => error);
  await expect(call('wild__die')).rejects.toMatchObject({
    code: 'runtime_error',
    retryable: true,
    details: { reason: 'TOOL_SERVER_FAILED' },
  });
  expect(await others).toMatchObject({ code: 'runtime_error', retryable: true });
  expect(await call('wild__look')).toMatchObject({ content: 'I see here' });
});

test('a call that takes too long ends at the time of its server (fault 25)', async () => {
  const clock = new ManualClock();
  const { when, call } = bench({ wild: wild('plain', { timeout: 5000 }) }, { clock });
  await when('wild', isReady);
  const hanging = call('wild__hang').catch((error: unknown) => error);
  expect(await call('wild__look')).toMatchObject({ content: 'I see here' });
  clock.advance(4999);
  expect(await call('wild__look')).toMatchObject({ content: 'I see here' });
  clock.advance(1);
  expect(await hanging).toMatchObject({
    code: 'deadline_exceeded',
    message: 'The tool server wild did not answer within 5 s.',
    details: { reason: 'TOOL_TIMEOUT' },
  });
});

test('a server that never says a word is given up and tried again, each time later', async () => {
  const clock = new ManualClock();
  const { shelf, when } = bench({ wild: wild('silent') }, { clock });
  expect(shelf.status()).toMatchObject([{ server_id: 'wild', state: 'connecting', problem: null }]);
  for (const pause of [1, 2, 4]) {
    const failed = when('wild', isFailed);
    let isOver = false;
    void failed.then(() => {
      isOver = true;
    });
    await vi.waitFor(() => {
      if (!isOver) clock.advance(limits.tool_server_start / 2);
      expect(isOver).toBe(true);
    });
    const { problem, retry_at } = await failed;
    expect(problem).toBe('The tool server wild did not answer within 60 s.');
    expect((retry_at ?? 0) - clock.now()).toBe(pause * 1000);
    clock.advance(pause * 1000);
    expect(shelf.status()).toMatchObject([{ state: 'connecting', retry_at: null }]);
  }
});

test('a program that ends at once is told with its last words, without its secrets', async () => {
  const { shelf, lines, when } = bench({ wild: wild('broken', { env: { WILD_KEY: 'canary-secret' } }) });
  const { problem, hint, tools } = await when('wild', isFailed);
  expect(problem).toBe(
    'The program of the tool server wild ended with code 7. Its last words: "cannot read the key ***"',
  );
  expect(hint).toBe('Check tools.servers.wild.command and env.');
  expect(tools).toEqual([]);
  expect(shelf.offers()).toEqual([]);
  expect(JSON.stringify(lines)).not.toContain('canary-secret');
});

test('a program that does not exist is told by its name', async () => {
  const { when } = bench({ gone: ToolServerConfig.parse({ command: ['/no/such/program'] }) });
  const { problem } = await when('gone', isFailed);
  expect(problem).toBe('The program of the tool server gone cannot be started: there is no /no/such/program.');
});

test('what a program prints beside its messages goes to the log', async () => {
  const { lines, when, call } = bench({ wild: wild('chatty') });
  await when('wild', isReady);
  expect(lines).toContainEqual({ server_id: 'wild', kind: 'stdout', text: 'Welcome to the wild server!' });
  expect(await call('wild__look')).toMatchObject({ content: 'I see here' });
});

test('a program that prints nothing but noise is cut off', async () => {
  const { lines, when } = bench({ wild: wild('noise') });
  const { problem } = await when('wild', isFailed);
  expect(problem).toBe('The program of the tool server wild prints what are no messages.');
  expect(lines.length).toBeLessThan(2 * limits.runner_log_lines);
});

test('an error of a server is one short line, and wrong parameters are said to be that', async () => {
  const { when, call } = bench({ wild: wild() });
  await when('wild', isReady);
  await expect(call('wild__refuse')).rejects.toMatchObject({
    code: 'invalid_argument',
    message: 'The tool server wild refused the parameters: bad [2J parameters',
    details: { reason: 'TOOL_ARGUMENTS' },
  });
});

test('no process is left when the shelf is closed, not even one that ignores being told', async () => {
  const pids = new Set<number>();
  const processes = { add: (pid: number) => pids.add(pid), remove: (pid: number) => pids.delete(pid) };
  const clock = new ManualClock();
  const { shelf, when } = bench({ one: wild('stubborn'), two: wild('silent') }, { processes, clock });
  await when('one', isReady);
  await vi.waitFor(() => expect(pids.size).toBe(2));
  const started = [...pids];
  const closed = shelf.close();
  await vi.waitFor(() => {
    clock.advance(limits.runner_stop / 4);
    expect(pids.size).toBe(0);
  });
  await closed;
  for (const pid of started) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});

test('after some attempts in vain the tools of a server are no longer offered', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rostra-once-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = new ManualClock();
  const { shelf, when, call } = bench({ wild: wild('once', { cwd: folder }) }, { clock });
  await when('wild', isReady);
  await expect(call('wild__die')).rejects.toMatchObject({ retryable: true });
  for (let attempt = 1; attempt < limits.tool_server_attempts; attempt += 1) {
    const { retry_at } = await when('wild', isFailed);
    expect(shelf.find('wild__look')).not.toBeNull();
    clock.advance((retry_at ?? 0) - clock.now());
    expect(shelf.status()).toMatchObject([{ state: 'connecting' }]);
  }
  expect(await when('wild', isFailed)).toMatchObject({ problem: expect.stringContaining('ended with code 8') });
  expect(shelf.find('wild__look')).toBeNull();
  expect(shelf.offers()).toEqual([]);
});
