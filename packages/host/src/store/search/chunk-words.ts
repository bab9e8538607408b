import { wordsOf } from './words.ts';

/** What a chunk is found by: the words of the headings above it, and its own. */
export function chunkWords({ heading, content }: { heading: string | null; content: string }): string[] {
  return heading === null ? wordsOf(content) : [...wordsOf(heading), ...wordsOf(content)];
}
