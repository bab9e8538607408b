import { refuseStateEntry } from '@rostra/kernel/state/state-entry';
import type { StateIdentity, StatePlace } from '@rostra/kernel/state/state-identity';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { StoreError } from '../refusal.ts';

export interface StateRow {
  key: string;
  value: Json;
  updated_at: number;
}

/** Small JSON values under a scope; the last write wins. */
export interface StateStore {
  get(scope: StateIdentity, key: string): Promise<StateRow | null>;
  set(scope: StateIdentity, key: string, value: Json, at: number): Promise<void>;
  /** Whether there was such a key. */
  delete(scope: StateIdentity, key: string): Promise<boolean>;
  /** Keys that begin with `prefix`, sorted; `after` is the last key of the page before. All of a scope fit one page. */
  list(scope: StateIdentity, page?: { prefix?: string; after?: string; limit?: number }): Promise<string[]>;
  /** Whether anything is stored there, whatever conversation, actor or subject it belongs to. */
  any(place: StatePlace): Promise<boolean>;
  /** The newest rows whose keys and values are at most about `bytes`; the older ones are left out and counted. */
  snapshot(scope: StateIdentity, bytes: number): Promise<{ rows: StateRow[]; omitted: number }>;
}

/** One text per scope: what the rows are keyed by. */
export function scopeKey(scope: StateIdentity): string {
  const { workspace_id, runner_id, agent_id, bot_id, scope_id, session_id } = scope;
  return JSON.stringify([scope.scope, workspace_id, runner_id, agent_id, bot_id, scope_id, session_id]);
}

/** What every `scopeKey` of a place begins with, and no other. */
export function placePrefix(place: StatePlace): string {
  const { scope, workspace_id, runner_id, agent_id, bot_id } = place;
  return `${JSON.stringify([scope, workspace_id, runner_id, agent_id, bot_id]).slice(0, -1)},`;
}

/** The value as it is stored; refuses what state is not for (RP-7.25). */
export function encodeState(key: string, value: Json): string {
  const refusal = refuseStateEntry(key, value);
  if (refusal !== null) throw new StoreError({ ...refusal, retryable: false });
  return JSON.stringify(value);
}

export function tooManyKeys(): StoreError {
  return new StoreError({
    code: 'payload_too_large',
    reason: 'TOO_MANY_KEYS',
    message: `A state scope holds at most ${limits.state_keys} keys.`,
    retryable: false,
    hint: 'Delete keys that are no longer needed.',
  });
}

/** The newest rows first, up to `bytes`; the same cut in every engine. */
export function cutSnapshot(
  newestFirst: Iterable<{ key: string; value: string; updated_at: number }>,
  count: number,
  bytes: number,
): { rows: StateRow[]; omitted: number } {
  const rows: StateRow[] = [];
  let size = 0;
  for (const { key, value, updated_at } of newestFirst) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    if (size > bytes) break;
    rows.push({ key, value: parsed(value), updated_at });
  }
  return { rows, omitted: count - rows.length };
}

/** What `encodeState` wrote. */
export function parsed(text: string): Json {
  return JSON.parse(text);
}
