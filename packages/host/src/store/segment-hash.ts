import { hash as digest } from 'node:crypto';
import { CorruptLogError, type Segment, type Unit } from './port.ts';

/** `sha256(previous hash, session, first_seq, epoch, body)`, as hex. Injected, so that a simulation need not pay it. */
export type SegmentHash = (
  previous: string,
  session_id: string,
  first_seq: number,
  epoch: number,
  body: string,
) => string;

/** A segment as it lies in the store. */
export interface HashedSegment extends Segment {
  hash: string;
}

/** Where a chain stands: its last record, and the hash over everything up to it. */
export interface ChainHead {
  seq: number;
  hash: string;
}

/** Before the first record of any session. */
export const genesis: ChainHead = { seq: 0, hash: '0'.repeat(64) };

/**
 * One field per line and the body last: a hash is hex, a quoted session id holds no line break, so that no two different
 * inputs give the same text.
 */
export const sha256Hash: SegmentHash = (previous, session_id, first_seq, epoch, body) =>
  digest('sha256', `${previous}\n${JSON.stringify(session_id)}\n${first_seq}\n${epoch}\n${body}`, 'hex');

/** The saved context is no part of the log, yet a flipped bit in it must not be believed either. */
export function hashContext(session_id: string, context_seq: number, context: string, hash: SegmentHash): string {
  return hash(genesis.hash, session_id, context_seq, 0, context);
}

/** Hashes of a unit's segments, in order. A unit that does not continue the log gap-free is a bug (SR-INV-L1). */
export function chainUnit(unit: Unit, previous: string, hash: SegmentHash): string[] {
  if (unit.created !== null && unit.expected_seq !== 0) {
    throw new Error(`session ${unit.session_id} is created after seq ${unit.expected_seq}`);
  }
  const hashes: string[] = [];
  let seq = unit.expected_seq;
  let head = previous;
  for (const segment of unit.segments) {
    if (segment.first_seq !== seq + 1 || segment.last_seq < segment.first_seq || segment.epoch !== unit.epoch) {
      throw new Error(`unit of session ${unit.session_id}: segment ${segment.first_seq} does not follow seq ${seq}`);
    }
    head = hash(head, unit.session_id, segment.first_seq, segment.epoch, segment.body);
    hashes.push(head);
    seq = segment.last_seq;
  }
  if (seq !== unit.last_seq) {
    throw new Error(`unit of session ${unit.session_id} ends at seq ${seq}, not at ${unit.last_seq}`);
  }
  return hashes;
}

/** Checks that the segments continue `from` without gap and with the hashes they claim (SR-INV-L2); gives the new head. */
export function verifyChain(
  session_id: string,
  from: ChainHead,
  segments: readonly HashedSegment[],
  hash: SegmentHash,
): ChainHead {
  let { seq, hash: head } = from;
  for (const segment of segments) {
    if (segment.first_seq !== seq + 1 || segment.last_seq < segment.first_seq) {
      throw corrupt(session_id, `after record ${seq} comes a segment of ${segment.first_seq} to ${segment.last_seq}`);
    }
    head = hash(head, session_id, segment.first_seq, segment.epoch, segment.body);
    if (head !== segment.hash) {
      throw corrupt(session_id, `the segment of records ${segment.first_seq} to ${segment.last_seq} was changed`);
    }
    seq = segment.last_seq;
  }
  return { seq, hash: head };
}

/** The stored segment without what only the store needs. */
export function withoutHash({ first_seq, last_seq, epoch, time, body }: HashedSegment): Segment {
  return { first_seq, last_seq, epoch, time, body };
}

/** Whole segments up to about `bytes`, at least one. */
export function cutSegments(segments: Iterable<HashedSegment>, bytes: number): Segment[] {
  const cut: Segment[] = [];
  let size = 0;
  for (const segment of segments) {
    size += Buffer.byteLength(segment.body);
    if (cut.length > 0 && size > bytes) break;
    cut.push(withoutHash(segment));
  }
  return cut;
}

/** What a claim reads of a session before it hands it over. */
export interface StoredTail {
  session_id: string;
  head: ChainHead;
  context: string | null;
  context_seq: number;
  context_hash: string | null;
  /** Where the log stood before the first of `segments`. */
  from: ChainHead;
  /** The tail, or the last segment when the tail is empty, so that the head is always proven. */
  segments: readonly HashedSegment[];
}

/** A log that does not verify is refused as a whole, never applied in part (SR-INV-L6). */
export function verifyTail(tail: StoredTail, hash: SegmentHash): void {
  const { session_id, head, context, context_seq } = tail;
  const reached = verifyChain(session_id, tail.from, tail.segments, hash);
  if (reached.seq !== head.seq || reached.hash !== head.hash) {
    throw corrupt(
      session_id,
      `the log ends at record ${reached.seq}, the session at ${head.seq}, or their hashes differ`,
    );
  }
  const saved = context === null ? null : hashContext(session_id, context_seq, context, hash);
  if (saved !== tail.context_hash || context_seq > head.seq) {
    throw corrupt(session_id, `the context saved at record ${context_seq} was changed`);
  }
}

function corrupt(session_id: string, what: string): CorruptLogError {
  return new CorruptLogError(session_id, `The log of session ${session_id} is damaged: ${what}.`);
}
