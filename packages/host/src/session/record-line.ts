import type { LogRecord } from '@rostra/protocol/record/record';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Segment } from '../store/port.ts';

const RECORD_VERSION = 1;

/** A message with its place in the log: what is stepped, and what stays in memory as its record. */
export function recordOf(message: SessionMessage, place: { ts: number; seq: number; epoch: number }): LogRecord {
  if (message.subtype === 'chunk') return chunkRecord(message, place);
  return { ...message, ...place, mark: 'in', v: RECORD_VERSION };
}

/** Written out field by field: spreading costs several times as much, and chunks are what there is most of. */
function chunkRecord(
  message: Extract<SessionMessage, { subtype: 'chunk' }>,
  { ts, seq, epoch }: { ts: number; seq: number; epoch: number },
): LogRecord {
  const { turn_id, trace_id, run_id, sequence, metadata } = message;
  if (turn_id === undefined || trace_id === undefined || run_id === undefined || sequence === undefined || metadata) {
    return { ...message, ts, seq, epoch, mark: 'in', v: RECORD_VERSION };
  }
  return {
    id: message.id,
    session_id: message.session_id,
    sender: message.sender,
    target: message.target,
    turn_id,
    trace_id,
    run_id,
    sequence,
    visibility: message.visibility,
    event: 'AGENT_OUTPUT',
    subtype: 'chunk',
    payload: message.payload,
    ts,
    seq,
    epoch,
    mark: 'in',
    v: RECORD_VERSION,
  };
}

/** A record as one line of a segment: session and epoch stand on the segment, a repeated payload is named by `seq`. */
export function encodeRecord(record: LogRecord): string {
  const { payload_of } = record;
  return JSON.stringify({
    seq: record.seq,
    mark: record.mark,
    v: record.v,
    id: record.id,
    event: record.event,
    subtype: record.subtype,
    sender: record.sender,
    target: record.target,
    target_id: record.target_id,
    turn_id: record.turn_id,
    requested_by: record.requested_by,
    trace_id: record.trace_id,
    tx_id: record.tx_id,
    run_id: record.run_id,
    sequence: record.sequence,
    visibility: record.visibility,
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
    const said = text === undefined ? '' : `,"text":${JSON.stringify(text)}`;
    const thought = reasoning === undefined ? '' : `,"reasoning":${JSON.stringify(reasoning)}`;
    return `{"seq":${record.seq},"like":${like.seq},"sequence":${record.sequence},"ts":${record.ts},"n":${n}${said}${thought}}`;
  }
}

/** Everything that a run's chunks share follows from the run; what does not must be absent. */
function isLike(record: Chunk, like: Chunk): boolean {
  return (
    record.run_id === like.run_id &&
    record.payload.message_id === like.payload.message_id &&
    record.trace_id === like.trace_id &&
    record.sequence !== undefined &&
    record.id === chunkId(record.run_id, record.sequence) &&
    record.metadata === undefined &&
    like.metadata === undefined
  );
}

function chunkId(run_id: string | undefined, sequence: number | undefined): string {
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
    if (record.payload_of !== undefined) record.payload = records[record.payload_of - segment.first_seq]?.payload ?? {};
  }
  return records;
}

/** Whether a record was stepped: what `fold` reads. */
export function wasStepped(record: LogRecord): boolean {
  return record.mark !== 'out';
}

/** Whether frontends were shown a record: what followers read. */
export function wasShown(record: LogRecord): boolean {
  return record.mark === 'both' || (record.mark === 'out' && record.target === 'FRONTEND');
}
