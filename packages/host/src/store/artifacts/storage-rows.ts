import type { StorageKey, StorageObject } from '../ports/storage.ts';

/** What an engine keeps of storage: the rows, with the bytes of small objects in them. */
export interface StorageRows {
  /** `bytes` null: they lie in a file. Gives the object as it now stands, `created_at` kept from the first write. */
  set(object: StorageObject, bytes: Uint8Array | null): Promise<StorageObject>;
  get(key: StorageKey): Promise<{ object: StorageObject; bytes: Uint8Array | null } | null>;
  head(key: StorageKey): Promise<StorageObject | null>;
  delete(key: StorageKey): Promise<boolean>;
  list(
    place: Omit<StorageKey, 'key'>,
    page?: { prefix?: string; after?: string; limit?: number },
  ): Promise<StorageObject[]>;
}
