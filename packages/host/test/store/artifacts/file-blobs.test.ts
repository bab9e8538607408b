import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from '@rostra/protocol/wire/limits';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { BlobReferences } from '../../../src/store/artifacts/blob-store.ts';
import { backupMarkPath, blobPath, FileBlobs } from '../../../src/store/artifacts/file-blobs.ts';

const program = fileURLToPath(new URL('./write-artifact.ts', import.meta.url));
/** Root may write everything; a test of what may not be written runs as somebody else. */
const ordinary = process.getuid?.() === 0 ? 65_534 : undefined;
const later = Date.now() + 2 * limits.orphan_age;
const bytes = new Uint8Array([1, 2, 3]);
const nobodyNames: BlobReferences = { unreferenced: (hashes) => Promise.resolve(hashes) };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rostra-blobs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** All files below the folder, by their path. */
function files(): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function sweepAll(blobs: FileBlobs, references = nobodyNames, now = later): Promise<number> {
  let removed = 0;
  for (let more = true; more; ) {
    const step = await blobs.sweep(now, references);
    removed += step.removed;
    more = step.more;
  }
  return removed;
}

/** In a process of its own, with what the shell can take from it. */
function writeElsewhere(
  size: number,
  { shell = '', env = {}, uid }: { shell?: string; env?: NodeJS.ProcessEnv; uid?: number | undefined },
) {
  const command = `${shell} exec "$0" --import tsx "$1" "$2" "$3"`;
  const args = ['-c', command, process.execPath, program, folder, String(size)];
  const { stdout, signal } = spawnSync('sh', args, {
    env: { ...process.env, ...env },
    ...(uid === undefined ? {} : { uid }),
  });
  return { signal, answer: stdout.length === 0 ? null : (JSON.parse(stdout.toString()) as Record<string, unknown>) };
}

describe('files by their content', () => {
  it('equal content is one file, under its hash, and nothing is left beside it', async () => {
    const blobs = new FileBlobs(folder);
    const hashes = await Promise.all([1, 2, 3].map(() => blobs.write(bytes, 10, async ({ sha256 }) => sha256)));
    expect(new Set(hashes).size).toBe(1);
    expect(files()).toEqual([blobPath(folder, hashes[0] ?? '')]);
  });

  it('the row is made when the file is there', async () => {
    const blobs = new FileBlobs(folder);
    const wasThere = await blobs.write(bytes, 10, async ({ sha256 }) => existsSync(blobPath(folder, sha256)));
    expect(wasThere).toBe(true);
  });

  it('a file that is gone is said to be', async () => {
    const blobs = new FileBlobs(folder);
    const blob = await blobs.write(bytes, 10, async (written) => written);
    rmSync(blobPath(folder, blob.sha256));
    await expect(blobs.read(blob, { offset: 0, length: 3 })).rejects.toMatchObject({
      details: { reason: 'STORE_CORRUPT' },
    });
    writeFileSync(blobPath(folder, blob.sha256), 'x');
    await expect(blobs.read(blob, { offset: 0, length: 3 })).rejects.toMatchObject({
      details: { reason: 'STORE_CORRUPT' },
    });
  });
});

describe('a sweep', () => {
  it('leaves what is young, what is named and what is being used', async () => {
    const blobs = new FileBlobs(folder);
    const named = await blobs.write(bytes, 10, async ({ sha256 }) => sha256);
    await blobs.write(new Uint8Array([9]), 10, async () => undefined);
    expect(await sweepAll(blobs, nobodyNames, Date.now())).toBe(0);
    const references = { unreferenced: async (hashes: string[]) => hashes.filter((hash) => hash !== named) };
    await blobs.write(new Uint8Array([7]), 10, async () => expect(await sweepAll(blobs, references)).toBe(1));
    expect(files()).toHaveLength(2);
  });

  it('leaves a file that was taken up again while it asked who names it', async () => {
    const blobs = new FileBlobs(folder);
    const sha256 = await blobs.write(bytes, 10, async (blob) => blob.sha256);
    const past = new Date(Date.now() - 2 * limits.orphan_age);
    utimesSync(blobPath(folder, sha256), past, past);
    const references = {
      async unreferenced(hashes: string[]) {
        await blobs.write(bytes, 10, async () => undefined);
        return hashes;
      },
    };
    expect(await sweepAll(blobs, references, Date.now())).toBe(0);
    expect(files()).toHaveLength(1);
  });

  it('removes what writers that died left unfinished', async () => {
    mkdirSync(join(folder, 'unfinished'));
    writeFileSync(join(folder, 'unfinished', '1-1'), 'half');
    expect(await sweepAll(new FileBlobs(folder))).toBe(1);
    expect(files()).toEqual([]);
  });

  it('removes nothing while a backup copies the files', async () => {
    const blobs = new FileBlobs(folder);
    await blobs.write(bytes, 10, async () => undefined);
    writeFileSync(backupMarkPath(folder), '1');
    utimesSync(backupMarkPath(folder), new Date(later), new Date(later));
    expect(await sweepAll(blobs)).toBe(0);
    rmSync(backupMarkPath(folder));
    expect(await sweepAll(blobs)).toBe(1);
  });
});

describe('a disk that fails', () => {
  it('when it is full there is a refusal, and neither a file nor a row', () => {
    const { answer } = writeElsewhere(3_000_000, { shell: 'ulimit -f 1000;' });
    expect(answer).toMatchObject({ code: 'runtime_error', retryable: true, details: { reason: 'DISK_FULL' } });
    expect(files()).toEqual([]);
    expect(writeElsewhere(300_000, { shell: 'ulimit -f 1000;' }).answer).toHaveProperty('sha256');
  });

  it('when it may not be written there is a refusal', () => {
    chmodSync(folder, 0o555);
    const { answer } = writeElsewhere(100, { uid: ordinary });
    expect(answer).toMatchObject({ code: 'runtime_error', retryable: true, details: { reason: 'STORE_READONLY' } });
    chmodSync(folder, 0o777);
    expect(writeElsewhere(100, { uid: ordinary }).answer).toHaveProperty('sha256');
  });

  it('killed before its row, a file is an orphan that the next sweep removes', async () => {
    for (const point of ['artifact.written', 'artifact.renamed']) {
      const env = { NODE_ENV: 'test', ROSTRA_FAILPOINTS: `${point}:kill` };
      expect(writeElsewhere(100, { env }).signal).toBe('SIGKILL');
      expect(files()).toHaveLength(1);
      expect(await sweepAll(new FileBlobs(folder))).toBe(1);
    }
  });
});
