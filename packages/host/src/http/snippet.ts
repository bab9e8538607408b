import { limits } from '@rostra/protocol/wire/limits';

/** Words as people write them in a search. */
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;

/** Where the first word of the query stands in the text; its beginning when none does as it is written. */
function placeOf(text: string, query: string): number {
  const plain = text.toLowerCase();
  const places = [...query.toLowerCase().matchAll(WORDS)].map(([word]) => plain.indexOf(word)).filter((at) => at >= 0);
  return places.length === 0 ? 0 : Math.min(...places);
}

/** What of a message shows why it was found: one line around the first word, cut where a character ends. */
export function snippetOf(content: string, query: string): string {
  const text = content.slice(0, limits.search_chars);
  const at = Math.max(0, placeOf(text, query) - Math.floor(limits.snippet_chars / 4));
  const from = at > 0 && isTrailing(text, at) ? at - 1 : at;
  const end = from + limits.snippet_chars;
  const cut = text
    .slice(from, isTrailing(text, end) ? end + 1 : end)
    .replace(/\s+/g, ' ')
    .trim();
  return `${from > 0 ? '…' : ''}${cut}${end < content.length ? '…' : ''}`;
}

/** The second half of a character that takes two. */
function isTrailing(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
