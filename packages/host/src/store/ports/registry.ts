import type { Json } from '@rostra/protocol/wire/json';
import { StoreError } from '../refusal.ts';

/** What was made at run time and not in the file: an agent, a setting. */
export interface RegistryRow {
  kind: string;
  key: string;
  value: Json;
  /** Rises with every change in the registry; never given twice, also not after a deletion. */
  revision: number;
  updated_at: number;
  updated_by: string;
}

export interface RegistryChange {
  at: number;
  by: string;
  /** The revision that must still stand; null: there must be none yet; left out: whatever is there. */
  expected?: number | null;
}

export interface RegistryStore {
  get(kind: string, key: string): Promise<RegistryRow | null>;
  /** All of a kind, by key. */
  list(kind: string): Promise<RegistryRow[]>;
  /** Refuses with REVISION_MISMATCH when something else stands there. */
  put(kind: string, key: string, value: Json, change: RegistryChange): Promise<RegistryRow>;
  /** Whether there was one; refuses as `put`. */
  delete(kind: string, key: string, change: RegistryChange): Promise<boolean>;
}

export function checkRevision(name: string, found: number | null, expected: number | null | undefined): void {
  if (expected === undefined || expected === found) return;
  throw new StoreError({
    code: 'invalid_argument',
    reason: 'REVISION_MISMATCH',
    message:
      found === null ? `${name} is not there any more.` : `${name} was changed meanwhile: it is at revision ${found}.`,
    retryable: false,
    hint: 'Read it again and repeat the change.',
  });
}
