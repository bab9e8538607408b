import type { LogRecord } from '@rostra/protocol/record/record';
import { limits } from '@rostra/protocol/wire/limits';
import type { Segment } from '../store/port.ts';
import { decodeSegment } from './record-line.ts';

/**
 * The newest committed records of a live session: most resumes are served from here without the store. Kept as the text
 * that was written: a few strings instead of thousands of objects that outlive their moment.
 */
export class LogTail {
  readonly #session_id: string;
  readonly #segments: Segment[] = [];
  #bytes = 0;
  /** The last unit as it was announced: whoever has just submitted a run reads exactly this. */
  #latest: { first_seq: number; records: LogRecord[] } | null = null;

  constructor(session_id: string) {
    this.#session_id = session_id;
  }

  push(segments: Segment[], records: LogRecord[]): void {
    this.#latest = segments[0] === undefined ? null : { first_seq: segments[0].first_seq, records };
    for (const segment of segments) {
      this.#segments.push(segment);
      this.#bytes += segment.body.length;
    }
    while (this.#bytes > limits.tail_bytes && this.#segments.length > 1) {
      this.#bytes -= this.#segments.shift()?.body.length ?? 0;
    }
  }

  /** Every record after `seq`, or null when the tail does not reach back that far. */
  after(seq: number): LogRecord[] | null {
    if (this.#latest !== null && this.#latest.first_seq <= seq + 1) {
      return this.#latest.records.slice(seq + 1 - this.#latest.first_seq);
    }
    const oldest = this.#segments[0];
    if (oldest === undefined || oldest.first_seq > seq + 1) return null;
    const from = this.#segments.findIndex((segment) => segment.last_seq > seq);
    if (from < 0) return [];
    const records = this.#segments.slice(from).flatMap((segment) => decodeSegment(this.#session_id, segment));
    return records[0]?.seq === seq + 1 ? records : records.filter((record) => record.seq > seq);
  }
}
