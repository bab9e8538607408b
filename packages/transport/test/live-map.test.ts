import { expect, test } from 'vitest';
import { LiveMap } from '../src/live-map.ts';

test('a live map holds what a map holds', () => {
  const live = new LiveMap<string, { n: number }>();
  const map = new Map<string, { n: number }>();
  for (let step = 0; step < 1_000; step += 1) {
    const key = `k${(step * 7) % 13}`;
    if (step % 3 === 0) expect(live.delete(key)).toBe(map.delete(key));
    else {
      if (step % 2 === 0 && !map.has(key)) live.add(key, { n: step });
      else live.set(key, { n: step });
      map.set(key, { n: step });
    }
    expect(live.size).toBe(map.size);
    expect([live.has(key), live.get(key)]).toEqual([map.has(key), map.get(key)]);
    expect([...live.keys()]).toEqual([...map.keys()]);
    expect([...live.values()]).toEqual([...map.values()]);
  }
});

test('what leaves while it is gone through is missed, the last one too', () => {
  const live = new LiveMap<string, string>();
  for (const key of ['a', 'b', 'c']) live.set(key, key);
  const seen: string[] = [];
  for (const value of live.values()) {
    seen.push(value);
    for (const key of ['a', 'b', 'c']) if (key !== value) live.delete(key);
  }
  expect(seen).toEqual(['a']);
  live.delete('a');
  expect([...live.values()]).toEqual([]);
});
