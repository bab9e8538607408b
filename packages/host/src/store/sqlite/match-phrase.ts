import type { QueryWord } from '../search/words.ts';

/** A word as a phrase of its own: no operator of the query language comes through. */
export function matchPhrase({ text, open }: QueryWord): string {
  return `"${text.replaceAll('"', '""')}"${open ? ' *' : ''}`;
}
