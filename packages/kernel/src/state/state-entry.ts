import type { StateScope } from '@rostra/protocol/config/agent-config';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { StoreReason } from '@rostra/protocol/wire/reason';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import { withinDepth } from '../run/json-depth.ts';
import { isKeyText } from './key-text.ts';

/** Why something is not kept as state. */
export interface StateRefusal {
  readonly code: 'invalid_argument' | 'payload_too_large';
  readonly reason: StoreReason;
  readonly message: string;
  readonly hint?: string;
}

/** Names that mean something else to an object than a key of its own. */
const reserved: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Names of older runners for keys of a scope. */
const aliases: Partial<Record<StateScope, Readonly<Record<string, string>>>> = {
  conversation: { conversation_id: 'external.conversation_id' },
};

/** The key under which it is kept. */
export function canonicalStateKey(scope: StateScope, key: string): string {
  const known = aliases[scope];
  return known !== undefined && Object.hasOwn(known, key) ? (known[key] ?? key) : key;
}

function badKey(message: string): StateRefusal {
  return { code: 'invalid_argument', reason: 'BAD_KEY', message };
}

/** Why this can be no key, or null. */
export function refuseStateKey(key: string): StateRefusal | null {
  const bytes = utf8Length(key);
  if (bytes < 1 || bytes > limits.state_key_bytes) {
    return badKey(`A state key has 1 to ${limits.state_key_bytes} bytes; this one has ${bytes}.`);
  }
  if (reserved.has(key)) return badKey(`State cannot have a key ${key}.`);
  return isKeyText(key) ? null : badKey('A state key has no control characters.');
}

/**
 * Why state does not take this value under this key, or null: the one check of RP-6.9 and RP-7.23, whether a runner
 * calls `state.set`, sends `state.updated`, or the store writes.
 */
export function refuseStateEntry(key: string, value: Json): StateRefusal | null {
  const bad = refuseStateKey(key);
  if (bad !== null) return bad;
  const text = withinDepth(value, limits.json_depth) ? JSON.stringify(value) : undefined;
  if (text === undefined) {
    const message = `The value of state key ${key} is not JSON of at most ${limits.json_depth} levels.`;
    return { code: 'invalid_argument', reason: 'NOT_JSON', message };
  }
  const size = utf8Length(text);
  if (size <= limits.state_value_bytes) return null;
  return {
    code: 'payload_too_large',
    reason: 'VALUE_TOO_LARGE',
    message: `The value of state key ${key} has ${size} bytes, at most ${limits.state_value_bytes} are kept.`,
    hint: 'Keep large data in storage or in an artifact, and its name in state.',
  };
}
