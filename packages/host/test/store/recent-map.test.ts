import { expect, test } from 'vitest';
import { RecentMap } from '../../src/store/recent-map.ts';

function filled(most: number, count: number, forgotten: string[] = []): RecentMap<number> {
  const map = new RecentMap<number>(most, (keys) => void forgotten.push(...keys));
  for (let i = 0; i < count; i += 1) map.set(`k${i}`, i);
  return map;
}

test('the last entries are there, as many as it was asked to keep', () => {
  for (let count = 1; count < 60; count += 1) {
    const map = filled(10, count);
    for (let i = Math.max(0, count - 10); i < count; i += 1) expect(map.get(`k${i}`)).toBe(i);
  }
});

test('it never holds more than twice as many, and tells what it lets go', () => {
  for (let count = 1; count < 60; count += 1) {
    const forgotten: string[] = [];
    const map = filled(10, count, forgotten);
    const keys = Array.from({ length: count }, (_, i) => `k${i}`);
    expect(keys.filter((key) => !map.has(key))).toEqual(forgotten);
    expect(count - forgotten.length).toBeLessThanOrEqual(20);
  }
});

test('an entry that is set again is the newer one', () => {
  const map = filled(10, 12);
  map.set('k3', 33);
  expect(map.get('k3')).toBe(33);
});
