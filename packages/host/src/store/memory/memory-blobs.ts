import { createHash } from 'node:crypto';
import { limits } from '@rostra/protocol/wire/limits';
import type { Blob, BlobReferences, BlobStore } from '../artifacts/blob-store.ts';
import { piecesOf } from '../artifacts/content-pieces.ts';
import type { ArtifactContent } from '../ports/artifact.ts';

export class MemoryBlobs implements BlobStore {
  readonly #now: () => number;
  readonly #blobs = new Map<string, { bytes: Uint8Array; at: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  async write<T>(content: ArtifactContent, limit: number, use: (blob: Blob) => Promise<T>): Promise<T> {
    const pieces: Uint8Array[] = [];
    for await (const piece of piecesOf(content, limit)) pieces.push(piece);
    const bytes = Uint8Array.from(Buffer.concat(pieces));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    this.#blobs.set(sha256, { bytes, at: this.#now() });
    return use({ sha256, size_bytes: bytes.byteLength });
  }

  read(blob: Blob, { offset, length }: { offset: number; length: number }): Promise<Uint8Array> {
    const found = this.#blobs.get(blob.sha256);
    if (found === undefined) return Promise.reject(new Error(`there is no blob ${blob.sha256}`));
    return Promise.resolve(found.bytes.slice(offset, offset + length));
  }

  async sweep(now: number, references: BlobReferences): Promise<{ removed: number; more: boolean }> {
    const old = [...this.#blobs].filter(([, { at }]) => at <= now - limits.orphan_age).map(([sha256]) => sha256);
    const orphans = await references.unreferenced(old);
    for (const sha256 of orphans) this.#blobs.delete(sha256);
    return { removed: orphans.length, more: false };
  }
}
