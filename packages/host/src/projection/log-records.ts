import type { LogRecord } from '@rostra/protocol/record/record';
import { decodeSegment } from '../session/record-line.ts';
import type { SessionStore } from '../store/port.ts';

/** Some records of a session's log, each found by its `seq`; one that is not there is left out. */
export function readRecords(
  log: Pick<SessionStore, 'readAt'>,
  session_id: string,
  seqs: readonly number[],
): Promise<LogRecord[]> {
  const wanted = new Set(seqs);
  return new Promise((resolve, reject) => {
    log.readAt(session_id, [...wanted], (error, segments) => {
      if (error !== null) return reject(error);
      const records = segments.flatMap((segment) => decodeSegment(session_id, segment));
      return resolve(records.filter(({ seq }) => wanted.has(seq)));
    });
  });
}
