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
    this.#next = db.prepare(`${selectSegment} WHERE session = ? AND first_seq > ? ORDER BY first_seq LIMIT 1`);
    this.#before = db.prepare(`${selectHead} WHERE session = ? AND first_seq < ? ORDER BY first_seq DESC LIMIT 1`);
  }

  /** Segments with a record after `seq`, oldest first. Each is looked up when asked for: no reading is left open. */
  *after(key: number, seq: number): Generator<HashedSegment> {
    let segment = this.at(key, seq + 1) ?? this.#following(key, seq);
    while (segment !== null) {
      yield segment;
      segment = this.#following(key, segment.first_seq);
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

  #following(key: number, first_seq: number): HashedSegment | null {
    const row = this.#next.get(key, first_seq);
    return row === undefined ? null : decodeSegment(row);
  }
}
