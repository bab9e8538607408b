import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { limits } from '@rostra/protocol/wire/limits';
import { afterEach, expect, test } from 'vitest';
import { type ChildChannel, spawnChild } from '../src/child-process.ts';
import { ManualTimers } from '../src/manual-timers.ts';

const fixture = fileURLToPath(new URL('./fixtures/child.mjs', import.meta.url));
const started: ChildChannel[] = [];

function start(act: string, env: Record<string, string> = {}, timers = new ManualTimers()) {
  const stderr: string[] = [];
  const command = { file: process.execPath, args: [fixture, act], env };
  const child = spawnChild(command, { onStderr: (line) => void stderr.push(line), timers });
  started.push(child);
  return { child, stderr, timers };
}

async function firstLine({ readable }: ChildChannel): Promise<string> {
  const [chunk] = await once(readable, 'data');
  return String(chunk).trim();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

afterEach(() => {
  for (const child of started.splice(0)) child.kill();
});

test('what is written comes back over its stdio, and closing ends it', async () => {
  const { child } = start('echo');
  child.writable.write('hello\n');
  expect(await firstLine(child)).toBe('hello');
  child.close();
  expect(await child.exited).toEqual({ code: 0, signal: null, error: null });
});

test('the child has the environment it was given and nothing else', async () => {
  process.env.ROSTRA_TEST_SECRET = 'inherited';
  const { child } = start('env', { GIVEN: 'yes' });
  const env = JSON.parse(await firstLine(child));
  delete process.env.ROSTRA_TEST_SECRET;
  expect(env).toMatchObject({ GIVEN: 'yes' });
  expect(env).not.toHaveProperty('ROSTRA_TEST_SECRET');
  expect(env).not.toHaveProperty('PATH');
});

test('stderr arrives as lines, long ones cut, the last one without a newline too', async () => {
  const { child, stderr } = start('stderr');
  child.readable.resume();
  await child.exited;
  expect(stderr).toEqual(['one', `two ${'x'.repeat(limits.log_line_chars - 4)}…`, 'three']);
});

test('the exit is reported after everything that was written was read', async () => {
  const { child } = start('crash');
  let text = '';
  child.readable.on('data', (chunk) => {
    text += chunk;
  });
  expect(await child.exited).toEqual({ code: 3, signal: null, error: null });
  expect(text.endsWith('line\nlast\n')).toBe(true);
});

test('a command that does not exist is an exit with an error', async () => {
  const child = spawnChild({ file: '/nonexistent/runner', args: [], env: {} }, { onStderr: () => undefined });
  const exit = await child.exited;
  expect(exit).toMatchObject({ code: null, error: { code: 'ENOENT' } });
  child.kill();
});

test('a signal is sent to the child, and by default it is one that cannot be ignored', async () => {
  const { child } = start('stubborn');
  expect(await firstLine(child)).toBe('ready');
  child.kill('SIGTERM');
  expect(await firstLine(child)).toBe('ignored');
  child.kill();
  expect(await child.exited).toMatchObject({ code: null, signal: 'SIGKILL' });
  child.kill();
});

test('killing reaches what the child has started', async () => {
  const { child } = start('family');
  const grandchild = Number(await firstLine(child));
  expect(isAlive(grandchild)).toBe(true);
  child.readable.resume();
  child.kill();
  // The grandchild holds the same pipes, and nobody moves the timers: the exit is known only when both are gone.
  expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
});

test('a descendant that left the group cannot keep a dead child from being reported', async () => {
  const timers = new ManualTimers();
  const { child } = start('runaway', {}, timers);
  const grandchild = Number(await firstLine(child));
  child.readable.resume();
  await expect.poll(() => timers.waiting).toBe(1);
  expect(isAlive(grandchild)).toBe(true);
  timers.advance(limits.runner_stop);
  expect(await child.exited).toMatchObject({ code: 0 });
  process.kill(grandchild, 'SIGKILL');
});
