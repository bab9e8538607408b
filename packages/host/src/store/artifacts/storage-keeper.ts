import { hash } from 'node:crypto';
import { limits } from '@rostra/protocol/wire/limits';
import type { ArtifactContent } from '../ports/artifact.ts';
import { refuseObject, type StorageKey, type StorageObject, type StorageStore } from '../ports/storage.ts';
import { toApiError } from '../refused.ts';
import type { BlobStore } from './blob-store.ts';
import type { StorageRows } from './storage-rows.ts';

/** Storage of any engine: small objects lie in their row, large ones in a file of their own. */
export class StorageKeeper implements StorageStore {
  readonly #rows: StorageRows;
  readonly #blobs: BlobStore;

  constructor(rows: StorageRows, blobs: BlobStore) {
    this.#rows = rows;
    this.#blobs = blobs;
  }

  async set(
    { scope, owner, key }: StorageKey,
    content: ArtifactContent,
    { at, mime_type }: { at: number; mime_type?: string },
  ): Promise<StorageObject> {
    const isWhole = content instanceof Uint8Array;
    const refusal = refuseObject({ scope, owner, key }, isWhole ? content.byteLength : 0);
    if (refusal !== null) throw toApiError(refusal);
    const about = { scope, owner, key, mime_type: mime_type ?? null, created_at: at, updated_at: at };
    if (isWhole && content.byteLength <= limits.storage_inline_bytes) {
      const blob = { size_bytes: content.byteLength, sha256: hash('sha256', content, 'hex') };
      return this.#rows.set({ ...about, ...blob }, content);
    }
    return this.#blobs.write(content, limits.storage_object_bytes, (blob) =>
      this.#rows.set({ ...about, ...blob }, null),
    );
  }

  async get(key: StorageKey): Promise<{ object: StorageObject; bytes: Uint8Array } | null> {
    const found = await this.#rows.get(key);
    if (found === null) return null;
    const { object, bytes } = found;
    if (bytes !== null) return { object, bytes };
    return { object, bytes: await this.#blobs.read(object, { offset: 0, length: object.size_bytes }) };
  }

  async read(
    key: StorageKey,
    { offset, length }: { offset: number; length: number },
  ): Promise<{ object: StorageObject; bytes: Uint8Array } | null> {
    const found = await this.#rows.get(key);
    if (found === null) return null;
    const { object, bytes } = found;
    if (bytes !== null) return { object, bytes: bytes.subarray(offset, offset + length) };
    return { object, bytes: await this.#blobs.read(object, { offset, length }) };
  }

  head(key: StorageKey): Promise<StorageObject | null> {
    return this.#rows.head(key);
  }

  delete(key: StorageKey): Promise<boolean> {
    return this.#rows.delete(key);
  }

  list(
    place: Omit<StorageKey, 'key'>,
    page: { prefix?: string; after?: string; limit?: number } = {},
  ): Promise<StorageObject[]> {
    return this.#rows.list(place, page);
  }
}
