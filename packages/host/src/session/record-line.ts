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

/** Writes the forwarded chunks of one session: what all chunks of a message have in common is made into text once. */
export class ChunkWriter {
  #run_id: string | undefined;
  #message_id = '';
  #head = '';

  /** Put together around the one string that must be escaped; it reads the same as the long way. */
  encode(record: Extract<LogRecord, { subtype: 'chunk' }>): string {
    const { run_id, payload, sequence, seq, ts } = record;
    const { message_id, n, text, reasoning } = payload;
    if (record.metadata !== undefined || sequence === undefined) return encodeRecord(record);
    if (this.#run_id !== run_id || this.#message_id !== message_id) {
      this.#run_id = run_id;
      this.#message_id = message_id;
      this.#head = chunkHead(record);
    }
    const id = JSON.stringify(record.id);
    const said = text === undefined ? '' : `,"text":${JSON.stringify(text)}`;
    const thought = reasoning === undefined ? '' : `,"reasoning":${JSON.stringify(reasoning)}`;
    return `{"seq":${seq},"id":${id},"sequence":${sequence},"ts":${ts}${this.#head}${n}${said}${thought}}}`;
  }
}

function chunkHead(record: Extract<LogRecord, { subtype: 'chunk' }>): string {
  const { mark, v, event, subtype, sender, target, turn_id, trace_id, run_id, visibility, payload } = record;
  const head = JSON.stringify({ mark, v, event, subtype, sender, target, turn_id, trace_id, run_id, visibility });
  return `,${head.slice(1, -1)},"payload":{"message_id":${JSON.stringify(payload.message_id)},"n":`;
}

/** The records of a segment. A payload that stands in another segment stays away: only agents were sent it. */
export function decodeSegment(session_id: string, segment: Segment): LogRecord[] {
  const records: LogRecord[] = [];
  const payloads = new Map<number, LogRecord['payload']>();
  for (const line of segment.body.split('\n')) {
    if (line === '') continue;
    // What the driver wrote is what it reads: the hash chain answers for it.
    const stored = JSON.parse(line) as LogRecord;
    stored.session_id = session_id;
    stored.epoch = segment.epoch;
    if (stored.payload_of === undefined) payloads.set(stored.seq, stored.payload);
    else stored.payload = payloads.get(stored.payload_of) ?? {};
    records.push(stored);
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
