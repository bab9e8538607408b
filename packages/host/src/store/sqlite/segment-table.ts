import { limits } from '@rostra/protocol/wire/limits';
import type { Segment } from '../port.ts';
import { type ChainHead, genesis, type HashedSegment, sha256Hash, verifyChain, withoutHash } from '../segment-hash.ts';
import type { Database, Statement } from './driver.ts';
import { decodeHead, decodeSegment, selectHead, selectSegment } from './segment-row.ts';

/** How the log is read. Sessions are named by their integer key. */
export class SegmentTable {
  readonly #at: Statement;
  readonly #next: Statement;
  readonly #before: Statement;

  constructor(db: Database) {
    this.#at = db.prepare(`${selectSegment} WHERE session = ? AND first_seq <= ? ORDER BY first_seq DESC LIMIT 1`);
    this.#next = db.prepare(`${selectSegment} WHERE session = ? AND first_seq > ? ORDER BY first_seq LIMIT ?`);
    this.#before = db.prepare(`${selectHead} WHERE session = ? AND first_seq < ? ORDER BY first_seq DESC LIMIT 1`);
  }

  /**
   * Segments with a record after `seq`, oldest first. Some are looked up when they are asked for, the more the shorter
   * they are: no reading is left open, and no more than about one long segment is read in vain.
   */
  *after(key: number, seq: number): Generator<HashedSegment> {
    const first = this.at(key, seq + 1);
    if (first !== null) yield first;
    let last_read = first?.first_seq ?? seq;
    let wanted = 1;
    for (;;) {
      const found = this.#next.all(key, last_read, wanted).map(decodeSegment);
      yield* found;
      const last = found.at(-1);
      if (last === undefined || found.length < wanted) return;
      last_read = last.first_seq;
      const fitting = Math.floor(limits.segment_bytes / Math.max(last.body.length, 1));
      wanted = Math.min(Math.max(fitting, 1), limits.segments_read);
    }
  }

  /** The segment that holds the record, or null. */
  at(key: number, seq: number): HashedSegment | null {
    const row = this.#at.get(key, seq);
    const segment = row === undefined ? null : decodeSegment(row);
    return segment === null || segment.last_seq < seq ? null : segment;
  }

  /** Where the log stood before the segment that begins with this record. */
  before(key: number, first_seq: number): ChainHead {
    const row = this.#before.get(key, first_seq);
    return row === undefined ? genesis : decodeHead(row);
  }

  /** The segments that hold these records, oldest first, each proven against the one before it. */
  holding(session_id: string, key: number, seqs: readonly number[]): Segment[] {
    const segments: HashedSegment[] = [];
    for (const seq of [...seqs].sort((a, b) => a - b)) {
      if (seq <= (segments.at(-1)?.last_seq ?? 0)) continue;
      const segment = this.at(key, seq);
      if (segment === null) continue;
      verifyChain(session_id, this.before(key, segment.first_seq), [segment], sha256Hash);
      segments.push(segment);
    }
    return segments.map(withoutHash);
  }
}
