import { once } from 'node:events';
import { expect, test } from 'vitest';
import { completed, text } from '../src/result.ts';
import { defineRunner, type RunFunction } from '../src/runner.ts';
import { testHost } from '../src/testing.ts';

const manifest = { id: 'test/spawn/default', name: 'default', label: {} };
/** Starts a child of its own in the same group, says both pids, and ignores what it can. */
const stubborn = `
process.on('SIGTERM', () => undefined);
const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
process.stdout.write(process.pid + ' ' + child.pid + '\\n');
setInterval(() => undefined, 1000);
`;

function hosted(run: RunFunction) {
  return testHost(defineRunner({ manifest, run }));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return false;
    throw error;
  }
}

/** Until the system has let go of it; a test that waits for ever fails by its own limit. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function pidsOf(stdout: NodeJS.ReadableStream | null): Promise<number[]> {
  if (stdout === null) throw new Error('no output');
  const [line] = await once(stdout, 'data');
  return String(line).trim().split(' ').map(Number);
}

test('a program that a run starts is reported, and reported gone when it has ended', async () => {
  const during: number[] = [];
  const host = hosted(async function* (_, { spawn, flushed }) {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    yield text('started');
    await flushed();
    await new Promise((resolve) => setImmediate(resolve));
    during.push(...started.processes);
    child.stdin?.end();
    await once(child, 'exit');
    yield completed();
  });
  const started = host.run('go');
  expect(await started.ended).toMatchObject([2, 'run.completed', {}]);
  expect(during).toHaveLength(1);
  expect(started.processes.size).toBe(0);
  await host.close();
});

test('what a run leaves behind ends with it, and so does what that has started', async () => {
  let pids: number[] = [];
  const host = hosted(async function* (_, { spawn }) {
    pids = await pidsOf(spawn(process.execPath, ['-e', stubborn], { stdio: ['ignore', 'pipe', 'inherit'] }).stdout);
    yield completed();
  });
  const run = host.run('go');
  await run.ended;
  expect(pids).toHaveLength(2);
  for (const pid of pids) await gone(pid);
  expect(run.processes.size).toBe(0);
  await host.close();
});

test('a cancel ends them too, and nothing is started after it', async () => {
  let pid = 0;
  let late: unknown;
  const host = hosted(async function* (_, { spawn, signal }) {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    pid = child.pid ?? 0;
    yield text('started');
    await once(child, 'exit');
    try {
      spawn(process.execPath, ['-e', '']);
    } catch (error) {
      late = error;
    }
    signal.throwIfAborted();
  });
  const run = host.run('go');
  while (run.results.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await run.cancel();
  expect(await run.ended).toMatchObject([2, 'run.failed', { code: 'cancelled' }]);
  expect(late).toMatchObject({ name: 'AbortError' });
  await gone(pid);
  await host.close();
});

test('a command that does not exist is an error event, not a process', async () => {
  const host = hosted(async function* (_, { spawn }) {
    const [error] = await once(spawn('/no/such/program'), 'error').catch((thrown: unknown) => [thrown]);
    yield text(error instanceof Error && 'code' in error ? String(error.code) : 'no error');
  });
  const run = host.run('go');
  await run.ended;
  expect(run.text).toBe('ENOENT');
  await host.close();
});
