import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NameNumbers } from '../../src/session/name-numbers.ts';
import { nameNumber } from '../../src/store/session-names.ts';

const numbers = (names: readonly string[]) => Int32Array.from(names, nameNumber);

describe('names as numbers', () => {
  it('may hold each of them, loaded or added since, and no name with another number', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), fc.array(fc.string()), (loaded, added, others) => {
        const names = new NameNumbers(numbers(loaded));
        for (const name of added) names.add(name);
        const all = [...loaded, ...added];
        for (const name of all) expect(names.mayHold(name)).toBe(true);
        const held = new Set(all.map(nameNumber));
        for (const name of others) expect(names.mayHold(name)).toBe(held.has(nameNumber(name)));
      }),
    );
  });

  it('may hold anything when they are not known', () => {
    const names = new NameNumbers(null);
    names.add('a');
    expect(names.mayHold('b')).toBe(true);
  });

  it('may hold a name whose number is the one of a free place', () => {
    const names = new NameNumbers(Int32Array.of(0));
    // FNV-1a of these bytes is nought.
    const nought = '\u00cc\u0024\u0031\u00c4';
    expect([nameNumber(nought), names.mayHold(nought), names.mayHold('a')]).toEqual([0, true, false]);
  });

  it.each([0, 10])('may hold anything from when there are more than are remembered, %i of them loaded', (count) => {
    const loaded = Array.from({ length: count }, (_, n) => `loaded ${n}`);
    const names = new NameNumbers(numbers(loaded));
    for (let n = 0; n < limits.known_names - count; n += 1) names.add(`name ${n}`);
    expect(names.mayHold('another')).toBe(false);
    const some = Array.from({ length: 5000 }, (_, n) => `name ${n * 13}`);
    expect([...loaded, ...some].filter((name) => !names.mayHold(name))).toEqual([]);
    names.add('one more');
    expect(names.mayHold('another')).toBe(true);
  });
});
