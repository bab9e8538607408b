import { limits } from '@rostra/protocol/wire/limits';

/** Only as much of a very long text is counted as tells what the rest has. */
export function sampledCount(text: string, count: (part: string) => number): number {
  const most = limits.count_chars;
  if (text.length <= most) return pieceCount(text, count);
  const half = most / 2;
  const known = pieceCount(text.slice(0, half), count) + pieceCount(text.slice(-half), count);
  return Math.ceil((known * text.length) / most);
}

/**
 * A word takes the square of its length to count, and some texts are one word: it is counted in pieces, which end before
 * a space where there is one.
 */
function pieceCount(text: string, count: (part: string) => number): number {
  let sum = 0;
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + limits.count_piece_chars);
    const space = at + piece.length < text.length ? piece.lastIndexOf(' ') : 0;
    const taken = space > 0 ? piece.slice(0, space) : piece;
    sum += count(taken);
    at += taken.length;
  }
  return sum;
}
