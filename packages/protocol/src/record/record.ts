import type { SessionMessage } from '../session/message.ts';

/**
 * What a record is to its readers: `in` was stepped (fold reads it), `out` was published (followers read it), `both` is
 * a chunk that was forwarded verbatim, `suppressed` an output that was stepped and withheld.
 */
export type RecordMark = 'in' | 'out' | 'both' | 'suppressed';

/** One durable fact of a session's log. Session and epoch stand once on the segment that holds it. */
export type LogRecord = { seq: number; mark: RecordMark; v: number } & SessionMessage;
