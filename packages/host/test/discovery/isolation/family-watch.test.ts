import { spawn } from 'node:child_process';
import { limits } from '@rostra/protocol/wire/limits';
import { ManualTimers } from '@rostra/transport/manual-timers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { excessOf, watchFamily } from '../../../src/discovery/isolation/family-watch.ts';
import { familyOf } from '../../../src/discovery/process-table.ts';

const member = { pid: 2, parent: 1, group: 2, started: '1', memory_pages: 100 };

test('a family within its bounds is left alone, one beyond them is named', () => {
  expect(excessOf([member])).toBeNull();
  expect(excessOf(Array(limits.strict_pids + 1).fill(member))).toContain(`${limits.strict_pids + 1} processes`);
  expect(excessOf([{ ...member, memory_pages: limits.strict_memory_bytes }])).toContain('bytes of memory');
});

test.skipIf(process.platform !== 'linux')('a crowd is killed as a whole, wherever its members moved', async () => {
  const timers = new ManualTimers();
  const script = `for n in $(seq ${limits.strict_pids + 4}); do sleep 600 & done; setsid sleep 600 & wait`;
  const child = spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true });
  const pid = child.pid ?? 0;
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: string[] = [];
  watchFamily(pid, timers, (what) => void said.push(what));
  await expect.poll(() => familyOf(pid).length).toBe(limits.strict_pids + 6);
  const family = familyOf(pid);
  timers.advance(limits.strict_sample);
  expect(said).toEqual([expect.stringContaining('processes')]);
  await expect.poll(() => family.flatMap(({ pid: each }) => familyOf(each))).toEqual([]);
  expect(timers.waiting).toBe(0);
});

test.skipIf(process.platform !== 'linux')('one of a crowd that is gone by then spares no other', async () => {
  const timers = new ManualTimers();
  const script = `for n in $(seq ${limits.strict_pids + 4}); do sleep 600 & done; wait`;
  const child = spawn('/bin/sh', ['-c', script], { stdio: 'ignore', detached: true });
  const pid = child.pid ?? 0;
  onTestFinished(() => void child.kill('SIGKILL'));
  watchFamily(pid, timers, () => undefined);
  await expect.poll(() => familyOf(pid).length).toBe(limits.strict_pids + 5);
  const [, ...others] = familyOf(pid);
  const killing = vi.spyOn(process, 'kill').mockImplementationOnce(() => {
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' });
  });
  onTestFinished(() => killing.mockRestore());
  timers.advance(limits.strict_sample);
  await expect.poll(() => others.flatMap(({ pid: each }) => familyOf(each))).toEqual([]);
});
