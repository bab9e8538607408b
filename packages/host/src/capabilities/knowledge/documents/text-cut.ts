const sentenceEnd = new Set(['.', '!', '?', '。', '！', '？', '…', ';', '；']);
/** After these a sentence is over without a space. */
const wideEnd = new Set(['。', '！', '？', '；']);

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || character === '\t' || character === '\u3000';
}

/** Whether a cut at `at` would go through a character. */
function splitsCharacter(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  const before = text.charCodeAt(at - 1);
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
}

function endsSentence(text: string, at: number): boolean {
  const last = text.charAt(at - 1);
  if (wideEnd.has(last)) return true;
  return isSpace(last) && sentenceEnd.has(text.charAt(at - 2));
}

/** Where to cut a text that must not go on beyond `most`: after a line, a sentence, a word; anywhere as a last resort. */
function cutBefore(text: string, from: number, most: number): number {
  const least = from + Math.floor((most - from) / 2);
  let [sentence, word] = [-1, -1];
  for (let at = most; at > least; at -= 1) {
    const last = text.charAt(at - 1);
    if (last === '\n') return at;
    if (sentence < 0 && endsSentence(text, at)) sentence = at;
    if (word < 0 && isSpace(last)) word = at;
  }
  if (sentence > 0) return sentence;
  if (word > 0) return word;
  return splitsCharacter(text, most) && most - 1 > from ? most - 1 : most;
}

/** A text as it is when it has at most `whole` characters, otherwise in pieces of at most `each`; nothing is left out. */
export function* piecesOf(text: string, whole: number, each: number): Generator<string, void> {
  if (text.length <= whole) {
    yield text;
    return;
  }
  for (let from = 0; from < text.length; ) {
    const most = from + each;
    const to = most >= text.length ? text.length : cutBefore(text, from, most);
    yield text.slice(from, to);
    from = to;
  }
}

/** The end of a text, from the beginning of a sentence or at least of a word on. */
export function overlapOf(text: string, chars: number): string {
  if (chars === 0 || text.length <= chars) return '';
  const first = text.length - chars;
  let word = -1;
  for (let at = first; at < text.length; at += 1) {
    if (endsSentence(text, at)) return text.slice(at).trimStart();
    if (word < 0 && isSpace(text.charAt(at - 1))) word = at;
  }
  if (word > 0) return text.slice(word);
  return text.slice(splitsCharacter(text, first) ? first + 1 : first);
}
