import type { Voice } from './voice.ts';

/** Something about Rostra that people ask. */
export interface Topic {
  readonly id: string;
  /** Words or phrases that name it; the longer they are, the surer the match. */
  readonly keywords: readonly string[];
  /** Words that hint at it when nothing better is there. */
  readonly hints?: readonly string[];
  readonly answer: string;
  /** Where to go from here: what the guide adds. */
  readonly next: string;
  /** How it works inside: what the scout adds. */
  readonly detail: string;
}

/** The topic that a text speaks of most clearly, or undefined. */
export function topicOf(text: string, topics: readonly Topic[]): Topic | undefined {
  const words = ` ${text.toLowerCase().replaceAll(notWord, ' ').trim()} `;
  let best: Topic | undefined;
  let bestScore = 0;
  for (const topic of topics) {
    const score = scoreOf(topic, words);
    if (score <= bestScore) continue;
    best = topic;
    bestScore = score;
  }
  return best;
}

const notWord = /[^\p{Letter}\p{Number}]+/gu;
const han = /\p{Script=Han}/u;

function scoreOf({ keywords, hints = [] }: Topic, words: string): number {
  // Chinese writes no spaces, not even around the foreign words in it: there a keyword may stand anywhere.
  const occurs = (keyword: string) => words.includes(han.test(words) ? keyword : ` ${keyword} `);
  return keywords.filter(occurs).reduce((score, { length }) => score + length, hints.some(occurs) ? 1 : 0);
}

export function tell({ answer, next, detail }: Topic, voice: Voice, space: string): string {
  return `${answer}${space}${voice === 'scout' ? detail : next}`;
}
