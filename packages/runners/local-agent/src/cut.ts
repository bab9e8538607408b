const HEAD = 0.7;

/** No half of a pair is left behind. */
function start(text: string, chars: number): string {
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 1 : chars);
}

function end(text: string, chars: number): string {
  const from = text.length - chars;
  const first = text.charCodeAt(from);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? from + 1 : from);
}

/** At most so many characters: beginning and end of a longer text, and how much is missing between them. */
export function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const head = Math.ceil(chars * HEAD);
  const tail = chars - head;
  return `${start(text, head)}\n[… ${text.length - chars} characters left out …]\n${tail === 0 ? '' : end(text, tail)}`;
}
