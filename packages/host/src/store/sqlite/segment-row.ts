import type { ChainHead, HashedSegment } from '../segment-hash.ts';
import type { SqlRow } from './driver.ts';

export const selectSegment = 'SELECT first_seq, last_seq, epoch, time, hash, body FROM segment';
export const selectHead = 'SELECT last_seq, hash FROM segment';

/** From a row of `selectSegment`. */
export function decodeSegment(row: SqlRow): HashedSegment {
  return {
    first_seq: row.first_seq as number,
    last_seq: row.last_seq as number,
    epoch: row.epoch as number,
    time: row.time as number,
    hash: row.hash as string,
    body: row.body as string,
  };
}

/** From a row of `selectHead`. */
export function decodeHead(row: SqlRow): ChainHead {
  return { seq: row.last_seq as number, hash: row.hash as string };
}
