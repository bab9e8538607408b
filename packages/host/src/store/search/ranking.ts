import type { QueryWord } from './words.ts';

/** The usual constants of bm25. */
const SATURATION = 1.2;
const LENGTH = 0.75;
/** How long a message usually is, in words: fixed, so that a ranking needs no look at all messages. */
const USUAL_WORDS = 64;
/** And a piece of a document. */
export const usualChunkWords = 200;

/** How telling a word is that so many of so many messages have. */
export function weightOf(having: number, messages: number): number {
  return Math.log(1 + (Math.max(messages - having, 0) + 0.5) / (having + 0.5));
}

/** How well a message of these words answers a query: bm25. */
export function scoreOf(
  words: readonly string[],
  query: ReadonlyMap<QueryWord, number>,
  usual: number = USUAL_WORDS,
): number {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const norm = SATURATION * (1 - LENGTH + (LENGTH * words.length) / usual);
  let score = 0;
  for (const [word, weight] of query) {
    const times = word.open ? beginning(counts, word.text) : (counts.get(word.text) ?? 0);
    score += (weight * times * (SATURATION + 1)) / (times + norm);
  }
  return score;
}

function beginning(counts: ReadonlyMap<string, number>, start: string): number {
  let times = 0;
  for (const [word, count] of counts) if (word.startsWith(start)) times += count;
  return times;
}

/** The highest scores, the newest first among equals; `place` is what rises with time. */
export function best<T extends { score: number; place: number }>(found: readonly T[], count: number): T[] {
  const scores = Float64Array.from(found, ({ score }) => score).sort();
  const least = scores[Math.max(0, scores.length - count)] ?? 0;
  return found
    .filter(({ score }) => score >= least)
    .sort((a, b) => b.score - a.score || b.place - a.place)
    .slice(0, count);
}
