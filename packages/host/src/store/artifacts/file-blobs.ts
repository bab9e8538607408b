import { createHash } from 'node:crypto';
import { statSync, unlinkSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { hit } from '../../failpoint.ts';
import type { ArtifactContent } from '../ports/artifact.ts';
import { toApiError } from '../refused.ts';
import type { Blob, BlobReferences, BlobStore } from './blob-store.ts';
import { piecesOf } from './content-pieces.ts';
import { errnoOf, toFileError } from './file-error.ts';

const unfinished = 'unfinished';
/** While a file of this name lies in the folder, a backup copies it and nothing is removed. */
const backupMark = 'backup';
const backupAge = 6 * 60 * 60_000;

/** `<folder>/ab/abcdef…`: files by the hash of their content, complete under their name or not there at all. */
export class FileBlobs implements BlobStore {
  readonly #folder: string;
  /** Blobs whose row is being made. */
  readonly #inUse = new Map<string, number>();
  #count = 0;
  #swept = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async write<T>(content: ArtifactContent, limit: number, use: (blob: Blob) => Promise<T>): Promise<T> {
    try {
      const { blob, path } = await this.#writeAside(content, limit);
      hit('artifact.written');
      this.#inUse.set(blob.sha256, (this.#inUse.get(blob.sha256) ?? 0) + 1);
      try {
        await this.#place(blob, path);
        hit('artifact.renamed');
        return await use(blob);
      } finally {
        const left = (this.#inUse.get(blob.sha256) ?? 1) - 1;
        if (left === 0) this.#inUse.delete(blob.sha256);
        else this.#inUse.set(blob.sha256, left);
        await rm(path, { force: true });
      }
    } catch (error) {
      throw toFileError(error);
    }
  }

  async read(blob: Blob, { offset, length }: { offset: number; length: number }): Promise<Uint8Array> {
    const bytes = new Uint8Array(Math.max(0, Math.min(length, blob.size_bytes - offset)));
    try {
      const file = await open(blobPath(this.#folder, blob.sha256), 'r');
      try {
        let read = 0;
        while (read < bytes.length) {
          const { bytesRead } = await file.read(bytes, read, bytes.length - read, offset + read);
          if (bytesRead === 0) throw missing(blob);
          read += bytesRead;
        }
        return bytes;
      } finally {
        await file.close();
      }
    } catch (error) {
      throw errnoOf(error) === 'ENOENT' ? missing(blob) : toFileError(error);
    }
  }

  /** One of the 256 folders at a time, or what writers left behind. */
  async sweep(now: number, references: BlobReferences): Promise<{ removed: number; more: boolean }> {
    if (await isFresh(join(this.#folder, backupMark), now, backupAge)) return { removed: 0, more: false };
    const index = this.#swept;
    this.#swept = (this.#swept + 1) % 257;
    const name = index === 256 ? unfinished : index.toString(16).padStart(2, '0');
    const removed = await this.#sweepFolder(join(this.#folder, name), now, index === 256 ? null : references);
    return { removed, more: this.#swept !== 0 };
  }

  async #sweepFolder(folder: string, now: number, references: BlobReferences | null): Promise<number> {
    const names = await readdir(folder).catch((error: unknown) => {
      if (errnoOf(error) === 'ENOENT') return [];
      throw toFileError(error);
    });
    const old = names.filter((name) => isOld(join(folder, name), now));
    const orphans = references === null || old.length === 0 ? old : await references.unreferenced(old);
    let removed = 0;
    for (const name of orphans) {
      // No wait between this look and the removal: who has taken the file up again meanwhile has touched it.
      if (this.#inUse.has(name) || !isOld(join(folder, name), now)) continue;
      unlinkSync(join(folder, name));
      removed += 1;
    }
    return removed;
  }

  async #writeAside(content: ArtifactContent, limit: number): Promise<{ blob: Blob; path: string }> {
    await mkdir(join(this.#folder, unfinished), { recursive: true, mode: 0o700 });
    this.#count += 1;
    const path = join(this.#folder, unfinished, `${process.pid}-${this.#count}`);
    const file = await open(path, 'w', 0o600);
    try {
      const hash = createHash('sha256');
      let size_bytes = 0;
      for await (const piece of piecesOf(content, limit)) {
        hash.update(piece);
        await writeAll(file, piece);
        size_bytes += piece.byteLength;
      }
      await file.sync();
      return { blob: { sha256: hash.digest('hex'), size_bytes }, path };
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  /** Under its name, unless equal content is there already; either way it is young again. */
  async #place({ sha256 }: Blob, aside: string): Promise<void> {
    const path = blobPath(this.#folder, sha256);
    const now = new Date();
    try {
      await utimes(path, now, now);
      return;
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
    const folder = join(this.#folder, sha256.slice(0, 2));
    if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(this.#folder);
    await rename(aside, path);
    await syncFolder(folder);
  }
}

export function blobPath(folder: string, sha256: string): string {
  return join(folder, sha256.slice(0, 2), sha256);
}

export function backupMarkPath(folder: string): string {
  return join(folder, backupMark);
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let from = 0; from < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, from);
    from += bytesWritten;
  }
}

/** A rename is on disk when its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isOld(path: string, now: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.mtimeMs <= now - limits.orphan_age;
}

async function isFresh(path: string, now: number, age: number): Promise<boolean> {
  try {
    return (await stat(path)).mtimeMs > now - age;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw toFileError(error);
  }
}

function missing({ sha256 }: Blob): ApiError {
  return toApiError({
    reason: 'STORE_CORRUPT',
    message: `The stored file ${sha256} is missing or too short.`,
    retryable: false,
    hint: 'Restore it from a backup.',
  });
}
