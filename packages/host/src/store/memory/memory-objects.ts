import { limits } from '@rostra/protocol/wire/limits';
import type { ArtifactRows } from '../artifacts/artifact-rows.ts';
import type { BlobReferences } from '../artifacts/blob-store.ts';
import type { StorageRows } from '../artifacts/storage-rows.ts';
import type { InThread } from '../in-thread.ts';
import type { ArtifactRow, UploadClaim } from '../ports/artifact.ts';
import { type PageRequest, pageLimit } from '../ports/page.ts';
import type { StorageKey, StorageObject } from '../ports/storage.ts';
import { StoreError } from '../refusal.ts';
import { pageBack } from './memory-page.ts';

export class MemoryStorageRows implements InThread<StorageRows> {
  readonly objects = new Map<string, { object: StorageObject; bytes: Uint8Array | null }>();

  set(object: StorageObject, bytes: Uint8Array | null): StorageObject {
    const created_at = this.head(object)?.created_at ?? object.created_at;
    const kept = { ...object, created_at };
    this.objects.set(nameOf(object), { object: kept, bytes });
    return kept;
  }

  get(key: StorageKey): { object: StorageObject; bytes: Uint8Array | null } | null {
    return this.objects.get(nameOf(key)) ?? null;
  }

  head(key: StorageKey): StorageObject | null {
    return this.get(key)?.object ?? null;
  }

  delete(key: StorageKey): boolean {
    return this.objects.delete(nameOf(key));
  }

  list(
    { scope, owner }: Omit<StorageKey, 'key'>,
    page: { prefix?: string; after?: string; limit?: number } = {},
  ): StorageObject[] {
    const { prefix = '', after = '' } = page;
    return [...this.objects.values()]
      .map(({ object }) => object)
      .filter((object) => object.scope === scope && object.owner === owner)
      .filter(({ key }) => key.startsWith(prefix) && key > after)
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, pageLimit(page.limit, limits.page_items + 1));
  }
}

export class MemoryArtifactRows implements InThread<ArtifactRows>, InThread<BlobReferences> {
  readonly #rows = new Map<string, ArtifactRow>();
  /** Files of documents, which do not expire. */
  readonly #kept = new Set<string>();
  readonly #storage: MemoryStorageRows;

  constructor(storage: MemoryStorageRows) {
    this.#storage = storage;
  }

  insert(row: ArtifactRow): void {
    if (this.#rows.has(row.artifact_id)) throw duplicate(`artifact ${row.artifact_id}`);
    this.#rows.set(row.artifact_id, row);
  }

  get(artifact_id: string, now: number): ArtifactRow | null {
    const row = this.#rows.get(artifact_id);
    return row === undefined || isExpired(row, now) ? null : row;
  }

  page(
    session_id: string,
    now: number,
    { before, limit }: PageRequest<string> = {},
  ): { rows: ArtifactRow[]; has_more: boolean } {
    const rows = [...this.#rows.values()].filter((row) => row.session_id === session_id && !isExpired(row, now));
    return pageBack(rows, (row) => row.artifact_id === before, limit);
  }

  delete(artifact_id: string): boolean {
    return this.#rows.delete(artifact_id);
  }

  claim({ artifact_id, session_id, copy_id, now }: UploadClaim): ArtifactRow | null {
    const upload = this.get(artifact_id, now);
    if (upload === null || upload.user_id === null) return null;
    if (upload.session_id === session_id) return upload;
    const isFirst = upload.session_id === null;
    const known = isFirst ? null : this.get(copy_id, now);
    const claimed = isFirst
      ? { ...upload, session_id, expires_at: null }
      : (known ?? { ...upload, artifact_id: copy_id, session_id, created_at: now });
    this.#rows.set(claimed.artifact_id, claimed);
    return claimed;
  }

  unclaimed(workspace_id: string, user_id: string): number {
    return [...this.#rows.values()]
      .filter((row) => row.session_id === null && row.workspace_id === workspace_id && row.user_id === user_id)
      .reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  }

  expire(now: number, made_before: number): number {
    const expired = [...this.#rows.values()]
      .filter((row) => !this.#kept.has(row.artifact_id) && (isExpired(row, now) || row.created_at < made_before))
      .slice(0, limits.sweep_rows);
    for (const { artifact_id } of expired) this.#rows.delete(artifact_id);
    return expired.length;
  }

  unreferenced(hashes: string[]): string[] {
    const named = new Set([...this.#rows.values()].map(({ sha256 }) => sha256));
    for (const { object, bytes } of this.#storage.objects.values()) if (bytes === null) named.add(object.sha256);
    return hashes.filter((hash) => !named.has(hash));
  }

  /** Until it is let go. */
  keep(artifact_id: string): void {
    this.#kept.add(artifact_id);
    this.#expireAt(artifact_id, null);
  }

  letGo(artifact_id: string): void {
    this.#kept.delete(artifact_id);
    this.#expireAt(artifact_id, 0);
  }

  #expireAt(artifact_id: string, expires_at: number | null): void {
    const row = this.#rows.get(artifact_id);
    if (row !== undefined) this.#rows.set(artifact_id, { ...row, expires_at });
  }

  removeSession(session_id: string): void {
    for (const [id, row] of this.#rows) if (row.session_id === session_id) this.#rows.delete(id);
  }
}

export function duplicate(what: string): StoreError {
  return new StoreError({ reason: 'STORE_DUPLICATE', message: `The store already holds ${what}.`, retryable: true });
}

function isExpired({ expires_at }: ArtifactRow, now: number): boolean {
  return expires_at !== null && expires_at <= now;
}

function nameOf({ scope, owner, key }: StorageKey): string {
  return JSON.stringify([scope, owner, key]);
}
