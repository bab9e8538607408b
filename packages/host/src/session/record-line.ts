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

/** A record as it stands in a segment: what follows from the records before it is left out (decision 005). */
interface RecordLine {
  /** Only in logs of older hosts, which wrote every field. */
  seq?: number;
  v?: number;
  mark?: RecordMark;
  id?: string;
  id_end?: string;
  event?: string;
  subtype?: string;
  sender?: LogRecord['sender'];
  target?: LogRecord['target'];
  target_id?: string;
  turn_id?: string | null;
  requested_by?: string;
  /** `true`: the turn's own id. */
  trace_id?: string | true | null;
  tx_id?: string;
  run_id?: string | null;
  sequence?: number;
  visibility?: LogRecord['visibility'];
  metadata?: LogRecord['metadata'];
  ts?: number;
  payload_of?: number;
  payload?: unknown;
}

/** What a record takes over from those before it in the same segment, unless it says otherwise. */
class Carried {
  v: number | undefined = undefined;
  ts: number | undefined = undefined;
  turn_id: string | undefined = undefined;
  trace_id: string | undefined = undefined;
  run_id: string | undefined = undefined;
  /** The last record that was stepped: what was published for it is named after it. */
  step: LogRecord | undefined = undefined;
}

/** Where a message most often goes: an input to the session, an output to those who follow it. */
function usualTarget(mark: RecordMark): LogRecord['target'] {
  return mark === 'out' ? 'FRONTEND' : 'SYSTEM';
}

/** What the id of a record most often begins with: an output is named after what was stepped, an input after its run. */
function idStart(
  { mark, run_id }: Pick<LogRecord, 'mark' | 'run_id'>,
  step: LogRecord | undefined,
): string | undefined {
  return mark === 'out' ? step?.id : run_id;
}

/** The rest of an id that says no more: nothing for an output, the place in its run for what a runner said. */
function usualEnd({ mark, sequence }: Pick<LogRecord, 'mark' | 'sequence'>): string {
  return mark === 'out' ? '' : `:${sequence}`;
}

/** Who sends when nobody is named: of inputs that are named after their run who sent the last one, else the session. */
function isUsualSender({ mark, sender }: LogRecord, isNamedAfter: boolean, step: LogRecord | undefined): boolean {
  if (mark === 'out' || !isNamedAfter || step === undefined) return sender.kind === 'session';
  const { kind, id, role } = step.sender;
  return kind === sender.kind && id === sender.id && role === sender.role;
}

/** A fraction of the price of startsWith, which looks at one character after the other. */
function standsAt(text: string, part: string, at: number): boolean {
  return text.slice(at, at + part.length) === part;
}

/** What JSON leaves as it is. */
const PLAIN = /^[\w:./ -]*$/;

/** An id as JSON. Nearly all of them are plain, and to look costs a third of having them written. */
function quoted(id: string | undefined): string {
  if (id === undefined) return 'null';
  return PLAIN.test(id) ? `"${id}"` : JSON.stringify(id);
}

const kinds = new Map<string, Map<string, string>>();

/** Event and subtype as they stand in a line, one of some eighty texts: each is put together once. */
function kindText({ event, subtype }: LogRecord): string {
  let subtypes = kinds.get(event);
  if (subtypes === undefined) {
    subtypes = new Map();
    kinds.set(event, subtypes);
  }
  let text = subtypes.get(subtype);
  if (text === undefined) {
    // One join makes one string; a sum of strings would be added up again with every line.
    text = ['"event":"', event, '","subtype":"', subtype, '",'].join('');
    subtypes.set(subtype, text);
  }
  return text;
}

/** A trace is most often named after the turn that it began with. */
function shortTrace(trace_id: string | undefined, turn_id: string | undefined): string {
  return trace_id !== undefined && trace_id === turn_id ? 'true' : quoted(trace_id);
}

/** Whether an output hands on what was stepped. */
function isHandedOn({ payload_of, event, subtype, sequence }: LogRecord, step: LogRecord | undefined): boolean {
  if (payload_of === undefined || payload_of !== step?.seq) return false;
  return event === step.event && subtype === step.subtype && sequence === step.sequence;
}

/** Writes the records of one segment, a line each. */
export class SegmentLines {
  bytes = 0;
  #lines: string[] = [];
  #carried = new Carried();

  get isEmpty(): boolean {
    return this.#lines.length === 0;
  }

  /**
   * Returns the length of the line. It is put together by hand: to stringify an object of all these fields, most of them
   * undefined, costs a fifth more. Only what is one of our own words or a number goes in as it stands.
   */
  add(record: LogRecord): number {
    const { mark, id, payload_of, turn_id, trace_id, run_id, ts, v } = record;
    const carried = this.#carried;
    const { step } = carried;
    const start = idStart(record, step);
    // Half the price of startsWith.
    const isNamedAfter = start !== undefined && id.slice(0, start.length) === start;
    const end = isNamedAfter ? id.slice(start.length) : undefined;
    const isHanded = isHandedOn(record, step);
    let line = '{';
    if (v !== carried.v) line += `"v":${v},`;
    if (mark !== 'out') line += `"mark":"${mark}",`;
    if (end === undefined) line += `"id":${quoted(id)},`;
    else if (end !== usualEnd(record)) line += `"id_end":${quoted(end)},`;
    if (!isHanded) line += kindText(record);
    if (!isUsualSender(record, isNamedAfter, step)) line += `"sender":${JSON.stringify(record.sender)},`;
    if (record.target !== usualTarget(mark)) line += `"target":"${record.target}",`;
    if (record.target_id !== undefined) line += `"target_id":${quoted(record.target_id)},`;
    if (turn_id !== carried.turn_id) line += `"turn_id":${quoted(turn_id)},`;
    if (record.requested_by !== undefined) line += `"requested_by":${quoted(record.requested_by)},`;
    if (trace_id !== carried.trace_id) line += `"trace_id":${shortTrace(trace_id, turn_id)},`;
    if (record.tx_id !== undefined) line += `"tx_id":${quoted(record.tx_id)},`;
    if (run_id !== carried.run_id) line += `"run_id":${quoted(run_id)},`;
    if (!isHanded && record.sequence !== undefined) line += `"sequence":${record.sequence},`;
    if (record.visibility !== 'both') line += `"visibility":"${record.visibility}",`;
    if (record.metadata !== undefined) line += `"metadata":${JSON.stringify(record.metadata)},`;
    if (ts !== carried.ts) line += `"ts":${ts},`;
    line +=
      payload_of === undefined ? `"payload":${JSON.stringify(record.payload)}}\n` : `"payload_of":${payload_of}}\n`;
    carry(carried, record);
    this.#lines.push(line);
    this.bytes += line.length;
    return line.length;
  }

  /** The body of the segment. The next record begins another. */
  take(): string {
    // One join: a string that is put together any other way is copied once more when it leaves for the writer.
    const body = this.#lines.join('');
    this.#lines = [];
    this.bytes = 0;
    this.#carried = new Carried();
    return body;
  }
}

/** A record that has none of an id leaves the last one for those after it: outputs with and without a run alternate. */
function carry(carried: Carried, record: LogRecord): void {
  const { v, ts, turn_id, trace_id, run_id, mark } = record;
  carried.v = v;
  carried.ts = ts;
  carried.turn_id = turn_id ?? carried.turn_id;
  carried.trace_id = trace_id ?? carried.trace_id;
  carried.run_id = run_id ?? carried.run_id;
  if (mark !== 'out') carried.step = record;
}

/** What a line begins with that is the first of its unit: most chunks of a run differ only in what follows. */
interface LineHead {
  readonly text: string;
  readonly line: RecordLine;
}

const HEAD_END = '"sequence":';

/** Null: such a line cannot be parted. A quote within a string is escaped, so the first key of that name is the line's. */
function headOf(text: string, line: RecordLine): LineHead | null {
  if (line.sequence === undefined || line.seq !== undefined) return null;
  return { text: text.slice(0, text.indexOf(HEAD_END)), line };
}

/**
 * The records of a segment. An empty line stands between segments that were joined, which know nothing of each other:
 * they are read as if each stood alone. A payload that stands in another segment stays away: only agents were
 * sent it.
 */
export function decodeSegment(session_id: string, segment: Segment): LogRecord[] {
  const records: LogRecord[] = [];
  const session: LogRecord['sender'] = { kind: 'session', id: session_id };
  let carried = new Carried();
  /** The first record that those which follow may refer to. */
  let known = 0;
  let head: LineHead | null = null;
  let at = 0;
  const { body } = segment;
  for (let end = body.indexOf('\n'); end >= 0; end = body.indexOf('\n', at)) {
    if (end === at) {
      carried = new Carried();
      known = records.length;
      at = end + 1;
      continue;
    }
    const isFirst = records.length === known;
    const alike: LineHead | null = isFirst && head !== null && standsAt(body, head.text, at) ? head : null;
    const text = alike === null ? body.slice(at, end) : `{${body.slice(at + alike.text.length, end)}`;
    at = end + 1;
    // What the driver wrote is what it reads: the hash chain answers for it.
    const rest = JSON.parse(text) as RecordLine;
    const line = alike?.line ?? rest;
    if (isFirst && alike === null) head = headOf(text, line);
    const { mark = 'out' } = line;
    const { payload_of } = rest;
    const { step } = carried;
    const isFull = line.seq !== undefined;
    const turn_id = isFull ? (line.turn_id ?? undefined) : carriedOr(carried.turn_id, line.turn_id);
    const run_id = isFull ? (line.run_id ?? undefined) : carriedOr(carried.run_id, line.run_id);
    const trace_id = line.trace_id === true ? turn_id : line.trace_id;
    // What is handed on is so in all of these.
    const handed = line.event === undefined ? step : undefined;
    const { event, subtype } = handed ?? line;
    const { sequence } = handed ?? rest;
    const usualSender = mark === 'out' || line.id !== undefined ? session : (step?.sender ?? session);
    const record = {
      id: line.id ?? `${idStart({ mark, run_id }, step)}${line.id_end ?? usualEnd({ mark, sequence })}`,
      session_id,
      sender: line.sender ?? usualSender,
      target: line.target ?? usualTarget(mark),
      target_id: line.target_id,
      turn_id,
      requested_by: line.requested_by,
      trace_id: isFull ? trace_id : carriedOr(carried.trace_id, trace_id),
      tx_id: line.tx_id,
      run_id,
      sequence,
      visibility: rest.visibility ?? 'both',
      metadata: rest.metadata,
      ts: rest.ts ?? carried.ts,
      seq: segment.first_seq + records.length,
      epoch: segment.epoch,
      payload_of,
      event,
      subtype,
      payload:
        payload_of === undefined
          ? rest.payload
          : (referred(records, payload_of - segment.first_seq, known)?.payload ?? {}),
      mark,
      v: line.v ?? carried.v,
    } as LogRecord;
    records.push(record);
    carry(carried, record);
  }
  return records;
}

/** The record at a place, unless that is before those which a line may refer to. */
function referred(records: readonly LogRecord[], place: number, known: number): LogRecord | undefined {
  return place < known ? undefined : records[place];
}

/** `null` says that a record has none where one before it had one. */
function carriedOr(carried: string | undefined, own: string | null | undefined): string | undefined {
  return own === undefined ? carried : (own ?? undefined);
}

/** Whether a record was stepped: what `fold` reads. */
export function wasStepped(record: LogRecord): boolean {
  return record.mark !== 'out';
}
