/** `--json` is for machines, with every command. */

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';

const cli = fileURLToPath(new URL('../../packages/host/dist/cli.js', import.meta.url));
const host = new HostProcess();
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rostra-json-'));
  await host.start();
});

afterAll(async () => {
  await host.dispose();
  rmSync(folder, { recursive: true });
});

function rostra(...args: string[]): Promise<{ code: number | null; said: unknown; err: string }> {
  const env = { ...process.env, ROSTRA_DATA: host.data, ROSTRA_DETECT: 'off' };
  const child = spawn(process.execPath, [cli, ...args, '--json'], { cwd: folder, env });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  child.stdin.end();
  return new Promise((resolve, reject) => {
    child.once('close', (code) => {
      if (out === '') reject(new Error(`nothing was said: ${err}`));
      else resolve({ code, said: JSON.parse(out), err });
    });
  });
}

test('a backup tells its file and what is in it, and a restore the same', async () => {
  const file = join(folder, 'a.backup');
  const taken = await rostra('backup', 'a.backup');
  expect(taken).toMatchObject({ code: 0, err: '', said: { file, sessions: expect.any(Number), problems: [] } });
  const data = join(folder, 'restored');
  const { said } = await rostra('restore', 'a.backup', '--data', data);
  const { file: _, problems, isSealed, ...content } = Object(taken.said);
  expect(said).toEqual({ folder: data, ...content, replaced: null });
  expect(await rostra('replay', '--data', data)).toMatchObject({ code: 0, said: { hash: content.hash } });
});

test('a reload tells its report', async () => {
  expect(await rostra('reload')).toMatchObject({ code: 0, err: '', said: { ok: true, applied: [] } });
});

test('the configuration has its values as they are', async () => {
  expect(await rostra('config', 'check')).toMatchObject({ code: 0, said: { ok: true, file: null } });
  writeFileSync(join(folder, 'rostra.yaml'), 'auth: { api_key: canary-0123456789abcdef }\nlog: { level: warn }\n');
  expect(await rostra('config', 'check')).toMatchObject({ code: 0, said: { ok: true, file: 'rostra.yaml' } });
  const { said } = await rostra('config', 'show');
  expect(said).toEqual(
    expect.arrayContaining([
      { key: 'server.host', value: '127.0.0.1', origin: 'default' },
      { key: 'server.port', value: 8787, origin: 'default' },
      { key: 'log.level', value: 'warn', origin: 'file rostra.yaml:2' },
      { key: 'auth.api_key', value: '(secret)', origin: 'file rostra.yaml:1' },
    ]),
  );
  rmSync(join(folder, 'rostra.yaml'));
});

test('a new runner tells where it is and what to type next', async () => {
  expect(await rostra('create-runner', 'mine', '--lang', 'python')).toMatchObject({
    code: 0,
    said: {
      name: 'mine',
      folder: join(folder, 'mine'),
      next: [expect.stringContaining('cd mine'), expect.any(String)],
    },
  });
});
