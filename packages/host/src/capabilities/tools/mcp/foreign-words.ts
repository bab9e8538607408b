const WORDS_CHARS = 300;
const unprintable = /[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu;

/** Foreign words as one short line; they are shown, never obeyed. */
export function foreignWords(text: string): string {
  return cutText(
    cutText(text, WORDS_CHARS * 2)
      .replace(unprintable, ' ')
      .trim(),
    WORDS_CHARS,
  );
}

/** The beginning of a text, with a mark if there was more; no character is torn. */
export function cutText(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 2);
  return `${text.slice(0, last >= 0xd800 && last <= 0xdbff ? chars - 2 : chars - 1)}…`;
}
