import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import { KnownMessages } from '../../src/session/known-messages.ts';
import { nameNumber } from '../../src/store/session-names.ts';

test('a message that came is known, one that was looked for before it came too', () => {
  const known = new KnownMessages(new Int32Array());
  expect([known.get('a'), known.mayHaveCome('a')]).toEqual([undefined, false]);
  known.add('a', true);
  expect(known.get('a')).toBe(true);
});

test('a message that was let go, or came before, is not here and may have come', () => {
  const known = new KnownMessages(Int32Array.of(nameNumber('before')));
  for (let n = 0; n < limits.known_ids * 3; n += 1) known.add(`m${n}`, true);
  for (const id of ['before', 'm0']) expect([known.get(id), known.mayHaveCome(id)]).toEqual([undefined, true]);
  expect([known.get('new'), known.mayHaveCome('new')]).toEqual([undefined, false]);
  expect(known.get(`m${limits.known_ids * 3 - 1}`)).toBe(true);
});

test('where nobody knows what came before, a message is known all the same and any other may have come', () => {
  const known = new KnownMessages(null);
  known.add('a', true);
  expect([known.get('a'), known.get('b'), known.mayHaveCome('b')]).toEqual([true, undefined, true]);
});
