import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';
import { textOf } from './sse-client.ts';

const cli = fileURLToPath(new URL('../../packages/host/dist/cli.js', import.meta.url));
let host: HostProcess;
let folder: string;
beforeEach(() => {
  host = new HostProcess();
  folder = mkdtempSync(join(tmpdir(), 'rostra-backup-'));
});
afterEach(async () => {
  await host.dispose();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a command of the built host; gives what it printed, line by line, and how it ended. */
function rostra(...args: string[]): Promise<{ lines: string[]; error: string; code: number }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...args], { cwd: folder }, (_, stdout, stderr) => {
      resolve({ lines: stdout.trim().split('\n'), error: stderr, code: child.exitCode ?? -1 });
    });
  });
}

test('a backup taken under load and restored elsewhere replays with equal hashes', async () => {
  await host.start();
  const first = await host.accept('/stream 20');
  await host.events(first);
  let isLoaded = true;
  let runs = 0;
  const load = Array.from({ length: 4 }, async () => {
    const threadId = randomUUID();
    while (isLoaded) {
      await host.events(await host.accept('/stream 50', { threadId }));
      runs += 1;
    }
  });
  await expect.poll(() => runs, { timeout: 10_000 }).toBeGreaterThan(8);
  const before = runs;
  const file = join(folder, 'rostra.backup');
  const taken = await rostra('backup', file, '--data', host.data);
  expect(taken).toMatchObject({ code: 0, error: '' });
  expect(runs).toBeGreaterThan(before);
  isLoaded = false;
  await Promise.all(load);
  const hash = taken.lines.at(-1);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  await host.signal('SIGTERM');

  const elsewhere = new HostProcess();
  try {
    expect(await rostra('restore', file, '--data', elsewhere.data)).toMatchObject({ code: 0, error: '' });
    const replayed = await rostra('replay', '--data', elsewhere.data);
    expect(replayed).toMatchObject({ code: 0, error: '' });
    expect(replayed.lines.at(-2)).toMatch(/^6 sessions, \d+ records, 0 damaged$/);
    expect(replayed.lines.at(-1)).toBe(hash);
    const again = await rostra('restore', file, '--data', elsewhere.data);
    expect(again.code).toBe(1);
    expect(again.error).toContain('is not empty.');

    await elsewhere.start();
    expect(textOf(await elsewhere.events(first)).split(' ')).toHaveLength(21);
    expect((await elsewhere.task(first)).status).toBe('completed');
    expect(textOf(await elsewhere.events(await elsewhere.accept('/stream 2')))).toBe('chunk-1 chunk-2 ');
  } finally {
    await elsewhere.dispose();
  }
});
