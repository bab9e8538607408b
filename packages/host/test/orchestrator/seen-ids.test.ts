import { expect, test } from 'vitest';
import { SeenIds } from '../../src/orchestrator/seen-ids.ts';

test('a repeat is found until enough others have come', () => {
  const seen = new SeenIds(2);
  expect(seen.add('a')).toBe(true);
  expect(seen.add('a')).toBe(false);
  seen.addNew('b');
  seen.addNew('c');
  expect([seen.has('b'), seen.has('c')]).toEqual([true, true]);
  seen.add('d');
  expect(seen.has('a')).toBe(false);
});
