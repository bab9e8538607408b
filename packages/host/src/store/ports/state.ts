import type { StateScope } from '@rostra/protocol/config/agent-config';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { StoreError } from '../refusal.ts';

/** Whose state it is. Two that differ in any part share nothing. */
export interface StateIdentity {
  scope: StateScope;
  workspace_id: string;
  runner_id: string;
  agent_id: string;
  bot_id: string | null;
  /** The scope's own id: of the conversation and thread, of the actor, of the subject; null for runner and binding. */
  scope_id: string | null;
  /** Set for `conversation`: such state goes when the session is deleted. */
  session_id: string | null;
}

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
  /** Keys that begin with `prefix`, sorted; `after` is the last key of the page before. */
  list(scope: StateIdentity, page?: { prefix?: string; after?: string; limit?: number }): Promise<StateRow[]>;
  /** The newest rows whose keys and values are at most about `bytes`; the older ones are left out and counted. */
  snapshot(scope: StateIdentity, bytes: number): Promise<{ rows: StateRow[]; omitted: number }>;
}

/** One text per scope: what the rows are keyed by. */
export function scopeKey(scope: StateIdentity): string {
  const { workspace_id, runner_id, agent_id, bot_id, scope_id, session_id } = scope;
  return JSON.stringify([scope.scope, workspace_id, runner_id, agent_id, bot_id, scope_id, session_id]);
}

/** The value as it is stored; refuses what state is not for (RP-7.25). */
export function encodeState(key: string, value: Json): string {
  const bytes = Buffer.byteLength(key);
  if (bytes < 1 || bytes > limits.state_key_bytes) {
    throw new StoreError({
      code: 'invalid_argument',
      reason: 'BAD_KEY',
      message: `A state key has 1 to ${limits.state_key_bytes} bytes; this one has ${bytes}.`,
      retryable: false,
    });
  }
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) {
    throw new StoreError({
      code: 'invalid_argument',
      reason: 'NOT_JSON',
      message: `The value of state key ${key} is not JSON.`,
      retryable: false,
    });
  }
  const size = Buffer.byteLength(text);
  if (size > limits.state_value_bytes) {
    throw new StoreError({
      code: 'payload_too_large',
      reason: 'VALUE_TOO_LARGE',
      message: `The value of state key ${key} has ${size} bytes, at most ${limits.state_value_bytes} are kept.`,
      retryable: false,
      hint: 'Keep large data in storage or in an artifact, and its name in state.',
    });
  }
  return text;
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
