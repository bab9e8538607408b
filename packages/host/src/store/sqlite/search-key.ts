/** Room for the records of one session among the rows of the index. */
const ROOM = 2 ** 28;
const SESSIONS = Math.floor(Number.MAX_SAFE_INTEGER / ROOM);

/** The row of a message in the index; null for one that has no room there and can only be paged to. */
export function searchKey(session: number, seq: number): number | null {
  return seq < ROOM && session < SESSIONS ? session * ROOM + seq : null;
}

/** All rows that one session can have. */
export function searchRange(session: number): { first: number; last: number } {
  return { first: session * ROOM, last: session * ROOM + ROOM - 1 };
}

export const everywhere = { first: 0, last: Number.MAX_SAFE_INTEGER };

/** The session and the `seq` of a row, in SQL. */
export const sessionOfKey = (key: string) => `(${key} / ${ROOM})`;
export const seqOfKey = (key: string) => `(${key} % ${ROOM})`;
