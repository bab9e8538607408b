import { limits } from '@rostra/protocol/wire/limits';
import type { Refusal } from '../refusal.ts';
import type { ArtifactContent } from './artifact.ts';

/** Where an object lies: the area (package, workspace, binding), whose it is within the area, and its name. */
export interface StorageKey {
  scope: string;
  owner: string;
  key: string;
}

export interface StorageObject extends StorageKey {
  size_bytes: number;
  sha256: string;
  mime_type: string | null;
  created_at: number;
  updated_at: number;
}

/** Named bytes: private data of a package, workspace data, checkpoints. The last write wins. */
export interface StorageStore {
  set(key: StorageKey, content: ArtifactContent, options: { at: number; mime_type?: string }): Promise<StorageObject>;
  get(key: StorageKey): Promise<{ object: StorageObject; bytes: Uint8Array } | null>;
  /** A piece of the bytes, shorter at their end, without reading the rest. */
  read(
    key: StorageKey,
    range: { offset: number; length: number },
  ): Promise<{ object: StorageObject; bytes: Uint8Array } | null>;
  head(key: StorageKey): Promise<StorageObject | null>;
  /** Whether there was such an object. */
  delete(key: StorageKey): Promise<boolean>;
  /**
   * Objects whose key begins with `prefix`, sorted; `after` is the last key of the page before. One more than a page can
   * be had: it says whether there is another page.
   */
  list(
    place: Omit<StorageKey, 'key'>,
    page?: { prefix?: string; after?: string; limit?: number },
  ): Promise<StorageObject[]>;
}

/** Why storage is not for this, or null (RP-7.25). */
export function refuseObject({ scope, owner, key }: StorageKey, size: number): Refusal | null {
  for (const part of [scope, owner, key]) {
    if (part.length >= 1 && part.length <= limits.storage_key_chars) continue;
    const message = `A storage area, owner or key has 1 to ${limits.storage_key_chars} characters, not ${part.length}.`;
    return { code: 'invalid_argument', reason: 'BAD_KEY', message, retryable: false };
  }
  if (size <= limits.storage_object_bytes) return null;
  return {
    code: 'payload_too_large',
    reason: 'VALUE_TOO_LARGE',
    message: `A storage object has at most ${limits.storage_object_bytes} bytes; this one has ${size}.`,
    retryable: false,
    hint: 'Keep it as an artifact.',
  };
}
