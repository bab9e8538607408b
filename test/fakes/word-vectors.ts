const SIZE = 64;

/** A vector of a text that is near to those of texts with the same words. The same text has always the same one. */
export function wordVector(text: string): number[] {
  const vector = new Array<number>(SIZE).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    const seed = hashOf(word);
    for (const turn of [0, 7, 13]) {
      const at = (seed >>> turn) % SIZE;
      vector[at] = (vector[at] ?? 0) + ((seed >>> (turn + 6)) & 1 ? 1 : -1);
    }
  }
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}

/** How much of the query's words a document holds: 0 to 1. */
export function relevance(query: string, document: string): number {
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const there = new Set(document.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const both = [...words].filter((word) => there.has(word)).length;
  return words.size === 0 ? 0 : both / words.size;
}

/** FNV-1a. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (const letter of word) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}
