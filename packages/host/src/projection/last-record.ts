import type { LogRecord } from '@rostra/protocol/record/record';
import { decodeSegment } from '../session/record-line.ts';
import type { Segment, SessionStore } from '../store/port.ts';

type Log = Pick<SessionStore, 'readAt'>;

function segmentAt(log: Log, session_id: string, seq: number): Promise<Segment | undefined> {
  return new Promise((resolve, reject) => {
    log.readAt(session_id, [seq], (error, [segment]) => (error === null ? resolve(segment) : reject(error)));
  });
}

/** The last record up to `seq` that is meant; null when there is none. Read from the end, a segment at a time. */
export async function lastRecord(
  log: Log,
  session_id: string,
  seq: number,
  isMeant: (record: LogRecord) => boolean,
): Promise<LogRecord | null> {
  for (let at = seq; at > 0; ) {
    const segment = await segmentAt(log, session_id, at);
    if (segment === undefined) return null;
    const found = decodeSegment(session_id, segment).findLast((record) => record.seq <= seq && isMeant(record));
    if (found !== undefined) return found;
    at = segment.first_seq - 1;
  }
  return null;
}
