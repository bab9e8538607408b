import type { LogRecord } from '@rostra/protocol/record/record';
import { limits } from '@rostra/protocol/wire/limits';
import { decodeSegment } from '../session/record-line.ts';
import type { SessionStore } from '../store/port.ts';
import type { LogSource, RunGateway } from './ports.ts';

/** The log as streams read it: what is still in memory from there, the rest from the store. */
export function logSource(
  gateway: Pick<RunGateway, 'tailAfter'>,
  store: Pick<SessionStore, 'readSegments'>,
): LogSource {
  return {
    tailAfter: (session_id, seq) => gateway.tailAfter(session_id, seq),
    async readAfter(session_id, seq) {
      const segments = await store.readSegments(session_id, seq, limits.sse_buffer_bytes);
      const records: LogRecord[] = [];
      for (const segment of segments) {
        for (const record of decodeSegment(session_id, segment)) if (record.seq > seq) records.push(record);
      }
      return records;
    },
  };
}
