import { expect, test } from 'vitest';
import { RecentMap } from '../../src/store/recent-map.ts';

function filled(most: number, count: number): RecentMap<number> {
  const map = new RecentMap<number>(most);
  for (let i = 0; i < count; i += 1) map.set(`k${i}`, i);
  return map;
}

test('the last entries are there, as many as it was asked to keep', () => {
  for (let count = 1; count < 60; count += 1) {
    const map = filled(10, count);
    for (let i = Math.max(0, count - 10); i < count; i += 1) expect(map.get(`k${i}`)).toBe(i);
  }
});

test('it never holds more than twice as many, and the newest of them', () => {
  for (let count = 1; count < 60; count += 1) {
    const map = filled(10, count);
    const keys = Array.from({ length: count }, (_, i) => `k${i}`);
    const held = keys.filter((key) => map.has(key));
    expect(held.length).toBeLessThanOrEqual(20);
    expect(held).toEqual(keys.slice(count - held.length));
  }
});

test('an entry that is set again is the newer one', () => {
  const map = filled(10, 12);
  map.set('k3', 33);
  expect(map.get('k3')).toBe(33);
});
