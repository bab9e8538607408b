import type { LogRecord, RecordMark } from '@rostra/protocol/record/record';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Segment } from '../store/port.ts';

const RECORD_VERSION = 1;

/** Where a record stands, and what it is to its readers. */
export interface Place {
  seq: number;
  ts: number;
  epoch: number;
  mark: RecordMark;
}

/** A message with its place in the log. Field by field: a spread that adds fields costs a hundred times as much. */
export function recordOf(message: SessionMessage, { seq, ts, epoch, mark }: Place): LogRecord {
  const record = {
    id: message.id,
    session_id: message.session_id,
    sender: message.sender,
    target: message.target,
    target_id: message.target_id,
    turn_id: message.turn_id,
    requested_by: message.requested_by,
    trace_id: message.trace_id,
    tx_id: message.tx_id,
    run_id: message.run_id,
    sequence: message.sequence,
    visibility: message.visibility,
    metadata: message.metadata,
    ts,
    seq,
    epoch,
    payload_of: message.payload_of,
    event: message.event,
    subtype: message.subtype,
    payload: message.payload,
    mark,
    v: RECORD_VERSION,
    said: undefined,
  };
  // Event, subtype and payload come from one message, so they belong together.
  return record as LogRecord;
}

/**
 * A record as one line of a segment: session and epoch stand on the segment, a repeated payload is named by `seq`, and
 * the session itself is the sender unless another is named.
 */
export function encodeRecord(record: LogRecord): string {
  const { payload_of } = record;
  return JSON.stringify({
    seq: record.seq,
    mark: record.mark,
    v: record.v,
    id: record.id,
    event: record.event,
    subtype: record.subtype,
    sender: record.sender.kind === 'session' ? undefined : record.sender,
    target: record.target,
    target_id: record.target_id,
    turn_id: record.turn_id,
    requested_by: record.requested_by,
    trace_id: record.trace_id,
    tx_id: record.tx_id,
    run_id: record.run_id,
    sequence: record.sequence,
    visibility: record.visibility === 'both' ? undefined : record.visibility,
    metadata: record.metadata,
    ts: record.ts,
    payload_of,
    payload: payload_of === undefined ? record.payload : undefined,
  });
}

type Chunk = Extract<LogRecord, { subtype: 'chunk' }>;

/**
 * Writes the forwarded chunks of one segment. The first one of a message is written out; those after it name it and say
 * what is different: their number, their time and their text.
 */
export class ChunkWriter {
  #like: Chunk | null = null;

  encode(record: Chunk): string {
    const like = this.#like;
    if (like === null || !isLike(record, like)) {
      this.#like = record;
      return encodeRecord(record);
    }
    const { text, reasoning, n } = record.payload;
    record.said = JSON.stringify(text ?? reasoning);
    const said = text === undefined ? '' : `,"text":${record.said}`;
    const thought =
      reasoning === undefined ? '' : `,"reasoning":${text === undefined ? record.said : JSON.stringify(reasoning)}`;
    return `{"seq":${record.seq},"like":${like.seq},"sequence":${record.sequence},"ts":${record.ts},"n":${n}${said}${thought}}`;
  }
}

/** Everything that a run's chunks share follows from the run, their ids too; what does not must be absent. */
function isLike(record: Chunk, like: Chunk): boolean {
  return (
    record.run_id === like.run_id &&
    record.payload.message_id === like.payload.message_id &&
    record.trace_id === like.trace_id &&
    record.sequence !== undefined &&
    record.metadata === undefined &&
    like.metadata === undefined
  );
}

/** The id of a message that a run sent: made from its number, so that it need not be stored. */
function chunkId(run_id: string | undefined, sequence: number): string {
  return `${run_id}:${sequence}`;
}

/** A chunk as ChunkWriter shortens it. */
interface ShortChunk {
  seq: number;
  like: number;
  sequence: number;
  ts: number;
  n: number;
  text?: string;
  reasoning?: string;
}

function isShort(stored: LogRecord | ShortChunk): stored is ShortChunk {
  return 'like' in stored;
}

function expand(
  { like: _, seq, sequence, ts, n, text, reasoning }: ShortChunk,
  like: LogRecord | undefined,
): LogRecord {
  if (like?.subtype !== 'chunk') throw new Error(`record ${seq} is like none of its segment`);
  const { message_id } = like.payload;
  const said = { ...(text !== undefined && { text }), ...(reasoning !== undefined && { reasoning }) };
  return { ...like, seq, sequence, ts, id: chunkId(like.run_id, sequence), payload: { message_id, n, ...said } };
}

/** The records of a segment. A payload that stands in another segment stays away: only agents were sent it. */
export function decodeSegment(session_id: string, segment: Segment): LogRecord[] {
  const records: LogRecord[] = [];
  for (const line of segment.body.split('\n')) {
    if (line === '') continue;
    // What the driver wrote is what it reads: the hash chain answers for it.
    const stored = JSON.parse(line) as LogRecord | ShortChunk;
    records.push(isShort(stored) ? expand(stored, records[stored.like - segment.first_seq]) : stored);
    const record = records.at(-1);
    if (record === undefined) continue;
    record.session_id = session_id;
    record.epoch = segment.epoch;
    record.sender ??= { kind: 'session', id: session_id };
    record.visibility ??= 'both';
    if (record.payload_of !== undefined) record.payload = records[record.payload_of - segment.first_seq]?.payload ?? {};
  }
  return records;
}

/** Whether a record was stepped: what `fold` reads. */
export function wasStepped(record: LogRecord): boolean {
  return record.mark !== 'out';
}
