import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OldNames } from '../../src/session/old-names.ts';
import { nameNumber } from '../../src/store/session-names.ts';

const numbers = (names: readonly string[]) => Int32Array.from(names, nameNumber);

describe('old names', () => {
  it('may hold each of them, loaded or forgotten since, and no name with another number', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), fc.array(fc.string()), (loaded, forgotten, others) => {
        const names = new OldNames(numbers(loaded));
        for (const name of forgotten) names.add(name);
        const all = [...loaded, ...forgotten];
        for (const name of all) expect(names.mayHold(name)).toBe(true);
        const held = new Set(all.map(nameNumber));
        for (const name of others) expect(names.mayHold(name)).toBe(held.has(nameNumber(name)));
        expect(names.isEmpty).toBe(all.length === 0);
      }),
    );
  });

  it('may hold anything when they are not known, and are not said to be none', () => {
    const names = new OldNames(null);
    names.add('a');
    expect([names.mayHold('b'), names.isEmpty]).toEqual([true, false]);
  });

  it.each([0, 10])('may hold anything from when there are more than are remembered, %i of them loaded', (count) => {
    const loaded = Array.from({ length: count }, (_, n) => `loaded ${n}`);
    const names = new OldNames(numbers(loaded));
    for (let n = 0; n < limits.known_names - count; n += 1) names.add(`name ${n}`);
    expect(names.mayHold('another')).toBe(false);
    const some = Array.from({ length: 5000 }, (_, n) => `name ${n * 13}`);
    expect([...loaded, ...some].filter((name) => !names.mayHold(name))).toEqual([]);
    names.add('one more');
    expect([names.mayHold('another'), names.isEmpty]).toEqual([true, false]);
  });
});
