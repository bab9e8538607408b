import type { TranscriptEntry } from '@rostra/protocol/run-api/history';
import type { SessionSnapshot } from '@rostra/protocol/run-api/session-api';

/**
 * The newest records of a session are told again rather than read as history: the transcript has what was said, the log
 * also what happened. So many are read and folded before the first picture.
 */
export const RETOLD = 2000;

/**
 * The record from which on messages are read. `rows` are the newest of the transcript. No turn is told from its middle:
 * whatever is told again began with what a person said, and with nothing before it still under way.
 */
export function firstRetold(
  { inflight, lastSeq }: Pick<SessionSnapshot, 'inflight' | 'lastSeq'>,
  rows: readonly Pick<TranscriptEntry, 'role' | 'seq' | 'taskId'>[],
): number {
  if (lastSeq <= RETOLD) return 1;
  const live = Math.min(lastSeq + 1, ...inflight.map(({ firstSeq }) => firstSeq));
  const begun = new Map<string, number>();
  for (const { taskId, seq } of rows) if (taskId !== null && !begun.has(taskId)) begun.set(taskId, seq);
  const isWhole = (from: number) =>
    rows.every(({ taskId, seq }) => seq < from || taskId === null || (begun.get(taskId) ?? seq) >= from);
  const isNear = (seq: number) => seq > lastSeq - RETOLD && seq <= live;
  return rows.find(({ role, seq }) => role === 'user' && isNear(seq) && isWhole(seq))?.seq ?? live;
}
