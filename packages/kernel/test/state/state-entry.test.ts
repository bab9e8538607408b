import { isKeyText } from '@rostra/kernel/state/key-text';
import { canonicalStateKey, refuseStateEntry, refuseStateKey } from '@rostra/kernel/state/state-entry';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';

describe('a key of state', () => {
  it.each([
    [0, 'BAD_KEY'],
    [1, undefined],
    [limits.state_key_bytes, undefined],
    [limits.state_key_bytes + 1, 'BAD_KEY'],
  ])('of %i bytes: %s', (bytes, reason) => {
    expect(refuseStateKey('k'.repeat(bytes))?.reason).toBe(reason);
  });

  it('is measured in bytes, not in characters', () => {
    expect(refuseStateKey('é'.repeat(limits.state_key_bytes / 2))).toBeNull();
    expect(refuseStateKey('é'.repeat(limits.state_key_bytes / 2 + 1))).not.toBeNull();
    expect(refuseStateKey('😀'.repeat(limits.state_key_bytes / 4))).toBeNull();
    expect(refuseStateKey('😀'.repeat(limits.state_key_bytes / 4 + 1))).not.toBeNull();
  });

  it.each(['__proto__', 'constructor', 'prototype'])('is never %s (case 46)', (key) => {
    expect(refuseStateKey(key)).toMatchObject({ code: 'invalid_argument', reason: 'BAD_KEY' });
    expect(refuseStateKey(`${key}.x`)).toBeNull();
  });

  it('has no control characters and no half of a pair', () => {
    for (const text of ['\u0000', 'a\n', '\u007f', '\u0085', '\ud83d', '\ude00\ud83d'])
      expect(isKeyText(text)).toBe(false);
    for (const text of ['', 'a b', 'ключ', '数据库', '😀', '\u00a0']) expect(isKeyText(text)).toBe(true);
  });

  it('has another name in the conversation (check 49)', () => {
    expect(canonicalStateKey('conversation', 'conversation_id')).toBe('external.conversation_id');
    expect(canonicalStateKey('actor', 'conversation_id')).toBe('conversation_id');
    expect(canonicalStateKey('conversation', 'toString')).toBe('toString');
  });
});

describe('a value of state', () => {
  const nested = (levels: number): Json => (levels === 0 ? 0 : { a: nested(levels - 1) });

  it.each([
    [limits.state_value_bytes, undefined],
    [limits.state_value_bytes + 1, 'VALUE_TOO_LARGE'],
  ])('of %i bytes as JSON: %s', (bytes, reason) => {
    expect(refuseStateEntry('k', 'x'.repeat(bytes - 2))?.reason).toBe(reason);
  });

  it('is JSON that nests so far and no farther', () => {
    expect(refuseStateEntry('k', nested(limits.json_depth))).toBeNull();
    expect(refuseStateEntry('k', nested(limits.json_depth + 1))?.reason).toBe('NOT_JSON');
    expect(refuseStateEntry('k', null)).toBeNull();
  });
});
