import { expect, test } from 'vitest';
import { measureSearch } from './bench/search-row.ts';

/** `npm run bench:search` measures the same among 100,000 messages. */
test('a question without spaces finds what it is about among thousands of messages, within 50 ms', async () => {
  const { place, p50 } = await measureSearch(5_000, 15);
  for (const scope of ['conversation', 'workspace'] as const) {
    expect(place[scope]).toBeGreaterThan(0);
    expect(p50[scope]).toBeLessThan(50);
  }
});
