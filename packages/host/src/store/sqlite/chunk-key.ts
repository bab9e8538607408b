/** Room for the chunks of one pass, the passes of one base, and the bases: together what a number can hold. */
const POSITIONS = 2 ** 16;
const PASSES = 2 ** 24;
export const basesMost = 2 ** 13;

const BASE_ROOM = PASSES * POSITIONS;

/** The row of a chunk; null for one that has no room. */
export function chunkKey(base: number, pass: number, position: number): number | null {
  if (base >= basesMost || pass >= PASSES || position >= POSITIONS) return null;
  return base * BASE_ROOM + pass * POSITIONS + position;
}

interface KeyRange {
  readonly first: number;
  readonly last: number;
}

/** All rows that a base can have. */
export function baseRange(base: number): KeyRange {
  return { first: base * BASE_ROOM, last: (base + 1) * BASE_ROOM - 1 };
}

/** All rows that a pass can have. */
export function passRange(base: number, pass: number): KeyRange {
  const first = base * BASE_ROOM + pass * POSITIONS;
  return { first, last: first + POSITIONS - 1 };
}

/** Parts of a row's name, in SQL. */
export const passOfKey = (key: string) => `(${key} % ${BASE_ROOM} / ${POSITIONS})`;
export const positionOfKey = (key: string) => `(${key} % ${POSITIONS})`;
/** The first row of a pass in the base whose stretch begins at `first`, in SQL. */
export const firstOfPass = (first: string, pass: string) => `(${first} + ${pass} * ${POSITIONS})`;
export const lastOfPass = (first: string, pass: string) => `(${first} + ${pass} * ${POSITIONS} + ${POSITIONS - 1})`;
