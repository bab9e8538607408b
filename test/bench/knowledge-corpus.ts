import type { NewChunk } from '../../packages/host/src/store/ports/knowledge.ts';

const DIMENSIONS = 768;
const TOPICS = 500;
const VOCABULARY = 30_000;
const WORDS = 190;

/** Numbers that are the same every time. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Few words are very common, most are rare. */
function word(next: () => number): string {
  return `w${Math.floor(VOCABULARY ** next()).toString(36)}`;
}

/** A question as people ask: some common words, a few rarer ones. */
export function question(next: () => number): string {
  return Array.from({ length: 9 }, () => word(next)).join(' ');
}

/** Directions that texts of one topic share, with noise of their own. */
export class Topics {
  readonly #next: () => number;
  readonly #centres: Float32Array[];

  constructor(next: () => number) {
    this.#next = next;
    this.#centres = Array.from({ length: TOPICS }, () => new Float32Array(DIMENSIONS).map(() => next() - 0.5));
  }

  vector(): Float32Array {
    const centre = this.#centres[Math.floor(this.#next() * TOPICS)];
    return new Float32Array(DIMENSIONS).map((_, at) => (centre?.[at] ?? 0) + (this.#next() - 0.5) * 0.8);
  }
}

/** Chunks of about 1,200 characters. */
export function chunks(count: number, next: () => number, topics: Topics): NewChunk[] {
  return Array.from({ length: count }, (_, position) => ({
    position,
    content: Array.from({ length: WORDS }, () => word(next)).join(' '),
    page: 1,
    heading: 'A chapter › A section',
    embedding: topics.vector(),
  }));
}
