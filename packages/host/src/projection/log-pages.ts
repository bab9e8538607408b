import type { LogRecord } from '@rostra/protocol/record/record';
import { limits } from '@rostra/protocol/wire/limits';
import { decodeSegment } from '../session/record-line.ts';
import type { SessionStore } from '../store/port.ts';

export type ReadableLog = Pick<SessionStore, 'readSegments' | 'readHead'>;

/**
 * The records of a log after `after`, segment by segment, and never more than about one page of them at a time. A step
 * never lies in two segments. `page_bytes` is for tests.
 */
export async function* logPages(
  log: Pick<ReadableLog, 'readSegments'>,
  session_id: string,
  after = 0,
  page_bytes: number = limits.tail_bytes,
): AsyncGenerator<LogRecord[]> {
  for (let seq = after; ; ) {
    const segments = await log.readSegments(session_id, seq, page_bytes);
    for (const segment of segments) {
      const records = decodeSegment(session_id, segment);
      yield segment.first_seq > seq ? records : records.filter((record) => record.seq > seq);
    }
    const last = segments.at(-1)?.last_seq;
    if (last === undefined) return;
    seq = last;
  }
}
