/**
 * The least text that is greater than every text with this prefix, as the column's order has it. No valid text holds a
 * code point above the last one, so that the prefix followed by it bounds the range; index and all, no LIKE.
 */
export function prefixEnd(prefix: string): string {
  return `${prefix}\u{10FFFF}\u{10FFFF}`;
}
