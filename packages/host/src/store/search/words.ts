import { limits } from '@rostra/protocol/wire/limits';

/** Scripts that are written without spaces, or searched by parts of what stands between them. */
const dense = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u30fc\u3006`;
const runs = new RegExp(`([${dense}]+)|(?:(?![${dense}])[\\p{L}\\p{N}\\p{M}])+`, 'gu');
/** Most texts have nothing else, and are read several times faster then. */
const ascii = /^\p{ASCII}*$/u;
const asciiRuns = /[a-z0-9]+/g;
const asciiLetter = /[a-zA-Z0-9]/;
const accents = /[\u0300-\u036f]+/gu;

/** One word of a query; `open` stands for every word that begins with it. */
export interface QueryWord {
  readonly text: string;
  readonly open: boolean;
}

/** A run of dense script as overlapping pairs, and its last character, by which a single one is found. */
function* pairs(run: string): Generator<string> {
  let last = '';
  for (const character of run) {
    if (last !== '') yield last + character;
    last = character;
  }
  yield last;
}

/** The runs of a text as they are compared: width, case and accents do not matter. */
function* runsOf(text: string): Generator<{ run: string; isDense: boolean }> {
  const cut = text.slice(0, limits.search_chars);
  if (ascii.test(cut)) {
    const found = cut.toLowerCase().match(asciiRuns) ?? [];
    for (const run of found) yield { run: run.slice(0, limits.search_word_chars), isDense: false };
    return;
  }
  const plain = cut.normalize('NFKC').toLowerCase();
  for (const [run, found] of plain.matchAll(runs)) {
    if (found !== undefined) yield { run, isDense: true };
    else {
      const bare = run.normalize('NFD').replace(accents, '').slice(0, limits.search_word_chars);
      if (bare !== '') yield { run: bare, isDense: false };
    }
  }
}

/** What a message is found by: its words, or pairs of characters where there are none, as often as they occur. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const { run, isDense } of runsOf(text)) {
    if (isDense) words.push(...pairs(run));
    else words.push(run);
  }
  return words;
}

/** Whether a text has a word of which only the beginning counts: it covers one of every so many characters. */
function hasLongRun(text: string): boolean {
  const long = limits.search_word_chars + 1;
  const isLetter = (at: number) => asciiLetter.test(text.charAt(at));
  for (let at = long - 1; at < text.length; at += long) {
    let [start, end] = [at, at];
    while (end < text.length && isLetter(end)) end += 1;
    while (start > 0 && end > at && isLetter(start - 1)) start -= 1;
    if (end - start >= long) return true;
  }
  return false;
}

/** What the index is given of a text: its words, each once. ASCII the index takes apart by itself, and just so. */
export function indexedText(text: string): string {
  const cut = text.slice(0, limits.search_chars);
  return ascii.test(cut) && !hasLongRun(cut) ? cut : [...new Set(wordsOf(cut))].join(' ');
}

/** What a query looks for, each once. Whatever else stands in it, operators for one, means nothing. */
export function queryWords(query: string): QueryWord[] {
  const words = new Map<string, QueryWord>();
  for (const { run, isDense } of runsOf(query)) {
    const all = isDense ? [...pairs(run)] : [run];
    const open = isDense && all.length === 1;
    for (const text of isDense && all.length > 1 ? all.slice(0, -1) : all) words.set(text, { text, open });
  }
  return [...words.values()].slice(0, limits.search_terms);
}
