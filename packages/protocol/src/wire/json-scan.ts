/** Why the bytes of a body are not even parsed. */
export type JsonFault = 'too_deep' | 'too_many_nodes' | 'invalid_utf8' | 'byte_order_mark' | 'lone_surrogate';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LETTER_U = 0x75;
const SPACE = 0x20;

/** A lead byte of UTF-8 by its range: how many bytes follow, and the bounds of the first of them (RFC 3629). */
function utf8Length(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  let length = 2;
  if (lead >= 0xe0) length = lead < 0xf0 ? 3 : 4;
  let low = 0x80;
  let high = 0xbf;
  if (lead === 0xe0) low = 0xa0;
  else if (lead === 0xed) high = 0x9f;
  else if (lead === 0xf0) low = 0x90;
  else if (lead === 0xf4) high = 0x8f;
  for (let n = 1; n < length; n += 1) {
    const byte = bytes[at + n] ?? 0;
    if (byte < low || byte > high) return 0;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}

/** The code unit of `\uXXXX` whose backslash stands at `at`, or -1 when it is not such an escape. */
function escapedUnit(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return -1;
  let unit = 0;
  for (let n = 2; n < 6; n += 1) {
    const byte = bytes[at + n] ?? 0;
    const letter = byte | 0x20;
    let digit = -1;
    if (byte >= 0x30 && byte <= 0x39) digit = byte - 0x30;
    else if (letter >= 0x61 && letter <= 0x66) digit = letter - 0x57;
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

/** Passes the escape at `at`; returns where it ends, or -1 when it is half of a surrogate pair. */
function skipEscape(bytes: Uint8Array, at: number): number {
  const unit = escapedUnit(bytes, at);
  if (unit < 0xd800 || unit > 0xdfff) return at + (unit < 0 ? 2 : 6);
  if (unit > 0xdbff) return -1;
  const second = escapedUnit(bytes, at + 6);
  return second >= 0xdc00 && second <= 0xdfff ? at + 12 : -1;
}

/** Passes the string that opens at `at`; returns the position after its closing quote, or why it is refused. */
function skipString(bytes: Uint8Array, at: number, halves: boolean): number | JsonFault {
  let i = at + 1;
  while (i < bytes.length) {
    const byte = bytes[i] ?? 0;
    if (byte === QUOTE) return i + 1;
    if (byte === BACKSLASH) {
      const end = skipEscape(bytes, i);
      if (end < 0 && !halves) return 'lone_surrogate';
      i = end < 0 ? i + 2 : end;
    } else if (byte < 0x80) {
      i += 1;
    } else {
      const length = utf8Length(bytes, i);
      if (length === 0) return 'invalid_utf8';
      i += length;
    }
  }
  return i;
}

function isDelimiter(byte: number): boolean {
  return byte <= SPACE || byte === COMMA || byte === COLON || isBracket(byte) || byte === QUOTE;
}

function isBracket(byte: number): boolean {
  return byte === OPEN_ARRAY || byte === CLOSE_ARRAY || byte === OPEN_OBJECT || byte === CLOSE_OBJECT;
}

/** Passes a number or a word; what stands outside strings is ASCII in every JSON text. */
function skipWord(bytes: Uint8Array, at: number): number | JsonFault {
  let i = at;
  while (i < bytes.length && !isDelimiter(bytes[i] ?? 0)) {
    if ((bytes[i] ?? 0) < 0x80) i += 1;
    else {
      const length = utf8Length(bytes, i);
      if (length === 0) return 'invalid_utf8';
      i += length;
    }
  }
  return i;
}

/**
 * One pass over the raw bytes before anything parses them: JSON.parse takes any depth, and what it returns then breaks
 * whoever walks it. Values count as nodes, keys do not. Says nothing about syntax: that is JSON.parse's part. `halves` of
 * surrogate pairs are passed over where somebody else looks after them.
 */
export function scanJson(bytes: Uint8Array, cap: { depth: number; nodes: number; halves?: boolean }): JsonFault | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'byte_order_mark';
  let depth = 0;
  let nodes = 0;
  // A key is a string that stands after `{` or `,` in an object.
  const inObject: boolean[] = [];
  let key = false;
  let i = 0;
  while (i < bytes.length) {
    const byte = bytes[i] ?? 0;
    if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      key = byte === OPEN_OBJECT;
      inObject[depth] = key;
      depth += 1;
      nodes += 1;
      i += 1;
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      depth = Math.max(0, depth - 1);
      key = false;
      i += 1;
    } else if (byte === COMMA) {
      key = depth > 0 && inObject[depth - 1] === true;
      i += 1;
    } else if (byte === COLON) {
      key = false;
      i += 1;
    } else if (byte <= SPACE) {
      i += 1;
    } else {
      const end = byte === QUOTE ? skipString(bytes, i, cap.halves === true) : skipWord(bytes, i);
      if (typeof end !== 'number') return end;
      if (!key) nodes += 1;
      i = end;
    }
    if (depth > cap.depth) return 'too_deep';
    if (nodes > cap.nodes) return 'too_many_nodes';
  }
  return null;
}
