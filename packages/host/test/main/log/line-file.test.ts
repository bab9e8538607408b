import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LineFile } from '../../../src/main/log/line-file.ts';

let folder: string;
let file: string;
let fd: number;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rostra-lines-'));
  file = path.join(folder, 'host.log');
  fd = openSync(file, 'a');
});
afterEach(() => {
  closeSync(fd);
  rmSync(folder, { recursive: true, force: true });
});

const written = () => readFileSync(file, 'utf8');

it('lines stand in the file in the order in which they came, whenever they did', async () => {
  const lines = new LineFile(fd);
  const said: string[] = [];
  for (let n = 0; n < 500; n += 1) {
    said.push(`${n} 数据库\n`);
    lines.add(said.at(-1) ?? '');
    if (n % 100 === 99) await expect.poll(written).toBe(said.join(''));
  }
});

it('what somebody waits for is written at once, in its order', async () => {
  const lines = new LineFile(fd);
  lines.add('a\n');
  lines.hurry();
  lines.add('b\n');
  lines.hurry();
  lines.hurry();
  await expect.poll(written).toBe('a\nb\n');
});

it('what waits at the end is written before it, and nothing after it', () => {
  const lines = new LineFile(fd);
  lines.add('a\n');
  lines.add('b\n');
  lines.close();
  lines.add('c\n');
  expect(written()).toBe('a\nb\n');
});

it('what comes on top of a full buffer is dropped, and the log goes on', async () => {
  const lines = new LineFile(fd);
  lines.add(`${'x'.repeat(limits.log_buffer_bytes - 5)}\n`);
  lines.add('dropped\n');
  await expect.poll(() => written().length).toBeGreaterThan(0);
  lines.add('later\n');
  await expect.poll(() => written().endsWith('later\n')).toBe(true);
  expect(written()).not.toContain('dropped');
});

it('a reader that leaves ends the log and not the process', async () => {
  const program = `
    import { LineFile } from ${JSON.stringify(new URL('../../../src/main/log/line-file.ts', import.meta.url).href)};
    const lines = new LineFile(1);
    process.on('exit', () => lines.close());
    let n = 0;
    const timer = setInterval(() => {
      lines.add('line\\n');
      if (++n === 20) { clearInterval(timer); process.exitCode = 7; }
    }, 10);`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([7, null]);
});
