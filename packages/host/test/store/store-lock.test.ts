import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { findHolder, lockDataFolder } from '../../src/store/store-lock.ts';

const program = fileURLToPath(new URL('./hold-lock.ts', import.meta.url));

let folder: string;
beforeEach(async () => {
  const parent = await mkdtemp(join(tmpdir(), 'rostra-lock-'));
  folder = join(parent, 'data');
  return () => rm(parent, { recursive: true, force: true });
});

async function otherHost(address: string): Promise<ChildProcess> {
  const args = ['--import', 'tsx', program, folder, address];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  await once(child.stdout!, 'data');
  return child;
}

function refusalOf(work: () => unknown): ApiError {
  try {
    work();
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the lock of a data folder', () => {
  it('comes with a folder that only its owner may read', () => {
    const lock = lockDataFolder(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'host.lock')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['host.lock']);
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses a second host with a sentence that names the first', async () => {
    const first = await otherHost('http://127.0.0.1:8787');
    const { code, message, details } = refusalOf(() => lockDataFolder(folder));
    expect(code).toBe('runtime_error');
    expect(message).toMatch(
      /data is in use by another Rostra host \(process \d+, http:\/\/127\.0\.0\.1:8787, since \d{4}-\d\d-\d\dT[\d:.]+Z\)\.$/,
    );
    expect(details).toMatchObject({ reason: 'DATA_FOLDER_LOCKED', pid: first.pid, address: 'http://127.0.0.1:8787' });
    expect(details.hint).toContain(`kill ${first.pid}`);
    expect(details.hint).toContain('ROSTRA_DATA');
    expect(readdirSync(folder)).toEqual(['host.lock']);
  });

  it('is free again when the first host ends', async () => {
    const first = await otherHost('x');
    first.stdin?.end();
    await once(first, 'exit');
    expect(existsSync(join(folder, 'host.lock'))).toBe(false);
    lockDataFolder(folder).release();
  });

  it('is taken over from a host that was killed', async () => {
    const first = await otherHost('x');
    first.kill('SIGKILL');
    await once(first, 'exit');
    expect(existsSync(join(folder, 'host.lock'))).toBe(true);
    const lock = lockDataFolder(folder);
    expect(JSON.parse(readFileSync(join(folder, 'host.lock'), 'utf8'))).toMatchObject({ pid: process.pid });
    expect(readdirSync(folder)).toEqual(['host.lock']);
    lock.release();
  });

  it.runIf(process.platform === 'linux')('is taken over when its pid now belongs to another process', async () => {
    const first = await otherHost('x');
    const path = join(folder, 'host.lock');
    const holder = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...holder, process_start: 'boot:1' }));
    lockDataFolder(folder).release();
    expect(first.exitCode).toBeNull();
  });

  it('is taken over when it is no lock at all', () => {
    lockDataFolder(folder).release();
    for (const content of ['', '{"pid":', 'null', '{}']) {
      writeFileSync(join(folder, 'host.lock'), content);
      lockDataFolder(folder).release();
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is not taken over while another host does so', () => {
    lockDataFolder(folder).release();
    writeFileSync(join(folder, 'host.lock'), '');
    writeFileSync(join(folder, 'host.lock.takeover'), '');
    expect(refusalOf(() => lockDataFolder(folder)).message).toContain('just starting');
  });

  it('is held against a second one in the same process', () => {
    const lock = lockDataFolder(folder);
    expect(refusalOf(() => lockDataFolder(folder)).details.pid).toBe(process.pid);
    lock.update({ address: 'http://localhost:1' });
    expect(refusalOf(() => lockDataFolder(folder)).details.address).toBe('http://localhost:1');
    lock.release();
    lock.release();
    lockDataFolder(folder).release();
  });

  it('leaves the lock of its successor alone', () => {
    const first = lockDataFolder(folder);
    const path = join(folder, 'host.lock');
    const successor = readFileSync(path, 'utf8').replace(/"since":"[^"]*"/, '"since":"later"');
    writeFileSync(path, successor);
    first.update({ address: 'x' });
    first.release();
    expect(readFileSync(path, 'utf8')).toBe(successor);
  });

  it('says so when the folder cannot be used', () => {
    lockDataFolder(folder).release();
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { message, details } = refusalOf(() => lockDataFolder(join(file, 'data')));
    expect(message).toContain('cannot be used (ENOTDIR)');
    expect(details.reason).toBe('DATA_FOLDER_UNUSABLE');
  });

  it('is no lock where a file has the name of the folder: the refusal says so', () => {
    writeFileSync(folder, '');
    for (const work of [() => lockDataFolder(folder), () => findHolder(folder)]) {
      expect(refusalOf(work)).toMatchObject({
        message: `${folder} is no folder.`,
        details: { reason: 'DATA_FOLDER_UNUSABLE', hint: expect.stringContaining('--data') },
      });
    }
    expect(refusalOf(() => findHolder(join(folder, 'below'))).message).toContain('cannot be used (ENOTDIR)');
  });

  it('whose address is none is that of a host that has told no address', () => {
    mkdirSync(folder);
    writeFileSync(join(folder, 'host.lock'), JSON.stringify({ pid: process.pid, address: 'foo' }));
    expect(findHolder(folder)).toMatchObject({ pid: process.pid, address: null });
  });
});
