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
      const records = segments.flatMap((segment) => decodeSegment(session_id, segment));
      return records.filter((record) => record.seq > seq);
    },
  };
}
