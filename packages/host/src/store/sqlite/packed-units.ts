import { deserialize, serialize } from 'node:v8';
import type { EventRow } from '@rostra/kernel/projection/event-row';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { Segment, TurnRow, Unit } from '../port.ts';
import type { RunRow } from '../ports/run.ts';

/**
 * The values of all fields of units in one list, each list of rows after its length. Values are copied quickly and names
 * of fields slowly, and a unit has a hundred of these.
 */
type Values = unknown[];

/**
 * Units on their way to the writer's thread, which puts these very bytes into its journal. Whoever changes what is in them
 * gives the schema a new number: a journal is read by the version that wrote it, and no other one migrates it.
 */
export function packUnits(units: readonly Unit[]): Uint8Array {
  const into: Values = [];
  for (const unit of units) packUnit(into, unit);
  return serialize(into);
}

export function unpackUnits(packed: Uint8Array): Unit[] {
  const values: Values = deserialize(packed);
  const from = new Unpacking(values);
  const units: Unit[] = [];
  while (!from.isAtEnd) units.push(unpackUnit(from));
  return units;
}

/** Hands the values out in the order in which they were packed; only who packed them knows what they are. */
class Unpacking {
  readonly #packed: Values;
  #at = 0;

  constructor(packed: Values) {
    this.#packed = packed;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#packed.length;
  }

  next<T>(): T {
    const value = this.#packed[this.#at];
    this.#at += 1;
    return value as T;
  }

  list<T>(row: (from: Unpacking, session_id: string) => T, session_id: string): T[] {
    const rows: T[] = [];
    for (let left: number = this.next(); left > 0; left -= 1) rows.push(row(this, session_id));
    return rows;
  }

  values<T>(): T[] {
    return this.list(() => this.next<T>(), '');
  }
}

function packList<T>(into: Values, rows: readonly T[], row: (into: Values, row: T) => void): void {
  into.push(rows.length);
  for (const each of rows) row(into, each);
}

function packUnit(into: Values, unit: Unit): void {
  into.push(unit.session_id, unit.epoch, unit.expected_seq, unit.last_seq, unit.time, unit.flush);
  into.push(unit.fresh, unit.context, unit.created);
  packList(into, unit.segments, packSegment);
  packList(into, unit.turns, packTurn);
  packList(into, unit.runs, packRun);
  packList(into, unit.transcript, packTranscript);
  packList(into, unit.events, packEvent);
  into.push(unit.interactions.length, ...unit.interactions);
  into.push(unit.message_ids.length, ...unit.message_ids);
  into.push(unit.outbox_add.length, ...unit.outbox_add);
  into.push(unit.outbox_remove.length, ...unit.outbox_remove);
}

function unpackUnit(from: Unpacking): Unit {
  const session_id: string = from.next();
  return {
    session_id,
    epoch: from.next(),
    expected_seq: from.next(),
    last_seq: from.next(),
    time: from.next(),
    flush: from.next(),
    fresh: from.next(),
    context: from.next(),
    created: from.next(),
    segments: from.list(unpackSegment, session_id),
    turns: from.list(unpackTurn, session_id),
    runs: from.list(unpackRun, session_id),
    transcript: from.list(unpackTranscript, session_id),
    events: from.list(unpackEvent, session_id),
    interactions: from.values(),
    message_ids: from.values(),
    outbox_add: from.values(),
    outbox_remove: from.values(),
  };
}

function packSegment(into: Values, row: Segment): void {
  into.push(row.first_seq, row.last_seq, row.epoch, row.time, row.body);
}

function unpackSegment(from: Unpacking): Segment {
  return { first_seq: from.next(), last_seq: from.next(), epoch: from.next(), time: from.next(), body: from.next() };
}

function packTurn(into: Values, row: TurnRow): void {
  into.push(row.turn_id, row.message_id, row.client_run_id, row.payload_hash, row.agent_id, row.status);
  into.push(row.created_at, row.ended_at, row.first_seq, row.code, row.message, row.retryable);
}

function unpackTurn(from: Unpacking, session_id: string): TurnRow {
  return {
    turn_id: from.next(),
    session_id,
    message_id: from.next(),
    client_run_id: from.next(),
    payload_hash: from.next(),
    agent_id: from.next(),
    status: from.next(),
    created_at: from.next(),
    ended_at: from.next(),
    first_seq: from.next(),
    code: from.next(),
    message: from.next(),
    retryable: from.next(),
  };
}

function packRun(into: Values, row: RunRow): void {
  into.push(row.run_id, row.turn_id, row.agent_id, row.attempt, row.status, row.created_at, row.started_at);
  into.push(row.ended_at, row.code, row.usage, row.bot_id, row.thread_id, row.first_seq, row.last_seq);
  into.push(row.tool_calls, row.handovers, row.waited);
}

function unpackRun(from: Unpacking, session_id: string): RunRow {
  return {
    run_id: from.next(),
    turn_id: from.next(),
    session_id,
    agent_id: from.next(),
    attempt: from.next(),
    status: from.next(),
    created_at: from.next(),
    started_at: from.next(),
    ended_at: from.next(),
    code: from.next(),
    usage: from.next(),
    bot_id: from.next(),
    thread_id: from.next(),
    first_seq: from.next(),
    last_seq: from.next(),
    tool_calls: from.next(),
    handovers: from.next(),
    waited: from.next(),
  };
}

function packTranscript(into: Values, row: TranscriptRow): void {
  into.push(row.seq, row.item_id, row.thread_id, row.bot_id, row.actor_id, row.turn_id, row.run_id, row.event_id);
  into.push(row.event_type, row.role, row.item_type, row.actor, row.content, row.content_json, row.attachments);
  into.push(row.ui_schema, row.created_at, row.metadata, row.client_id, row.supersedes);
}

function unpackTranscript(from: Unpacking, session_id: string): TranscriptRow {
  return {
    session_id,
    seq: from.next(),
    item_id: from.next(),
    thread_id: from.next(),
    bot_id: from.next(),
    actor_id: from.next(),
    turn_id: from.next(),
    run_id: from.next(),
    event_id: from.next(),
    event_type: from.next(),
    role: from.next(),
    item_type: from.next(),
    actor: from.next(),
    content: from.next(),
    content_json: from.next(),
    attachments: from.next(),
    ui_schema: from.next(),
    created_at: from.next(),
    metadata: from.next(),
    client_id: from.next(),
    supersedes: from.next(),
  };
}

function packEvent(into: Values, row: EventRow): void {
  into.push(row.seq, row.event_id, row.event_type, row.turn_id, row.run_id, row.thread_id, row.bot_id, row.actor_id);
  into.push(row.created_at);
}

function unpackEvent(from: Unpacking, session_id: string): EventRow {
  return {
    session_id,
    seq: from.next(),
    event_id: from.next(),
    event_type: from.next(),
    turn_id: from.next(),
    run_id: from.next(),
    thread_id: from.next(),
    bot_id: from.next(),
    actor_id: from.next(),
    created_at: from.next(),
  };
}
