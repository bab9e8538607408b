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

/** The records of a segment. A payload that stands in another segment stays away: only agents were sent it. */
export function decodeSegment(session_id: string, segment: Segment): LogRecord[] {
  const records: LogRecord[] = [];
  for (const line of segment.body.split('\n')) {
    if (line === '') continue;
    // What the driver wrote is what it reads: the hash chain answers for it.
    const record = JSON.parse(line) as LogRecord;
    records.push(record);
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
