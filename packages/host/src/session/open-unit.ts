import { type EventRow, eventRows } from '@rostra/kernel/projection/event-row';
import { type InteractionChange, interactionChange } from '@rostra/kernel/projection/interaction-rows';
import type { TranscriptFold } from '@rostra/kernel/projection/transcript';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import { isTrigger } from '@rostra/kernel/projection/turn-origins';
import type { SessionContext } from '@rostra/kernel/session/context';
import { type Owed, owes } from '@rostra/kernel/session/outbox';
import { durabilityOf } from '@rostra/protocol/record/definition';
import type { LogRecord, RecordMark } from '@rostra/protocol/record/record';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import type { Segment, TurnRow, Unit } from '../store/port.ts';
import type { RunRow } from '../store/ports/run.ts';
import { recordOf, SegmentLines } from './record-line.ts';

export interface UnitStart {
  session_id: string;
  epoch: number;
  expected_seq: number;
  created: Unit['created'];
}

/** What a session did since its last commit, in the making. */
export class OpenUnit {
  readonly records: LogRecord[] = [];
  /** Messages that leave when the unit is committed, in order. */
  readonly leaving: SessionMessage[] = [];
  /** What waits for the commit: answers to clients. */
  readonly answers: ((error: Error | null) => void)[] = [];
  bytes = 0;
  #flush = false;
  readonly #start: UnitStart;
  readonly segments: Segment[] = [];
  readonly turns: TurnRow[] = [];
  readonly #runs: RunRow[] = [];
  readonly #transcript: TranscriptRow[] = [];
  /** Where in `leaving` the last step begins. */
  #stepLeaving = 0;
  readonly #events: EventRow[] = [];
  readonly #interactions: InteractionChange[] = [];
  readonly #messageIds: string[] = [];
  readonly #outboxAdd: number[] = [];
  readonly #outboxRemove: number[] = [];
  readonly #lines = new SegmentLines();
  #firstSeq: number;

  constructor(start: UnitStart) {
    this.#start = start;
    this.#firstSeq = start.expected_seq + 1;
  }

  get lastSeq(): number {
    return this.#start.expected_seq + this.records.length;
  }

  get isFull(): boolean {
    return this.records.length >= limits.commit_records || this.bytes >= limits.commit_bytes;
  }

  /** Records one step: its input, and what it published. What must be answered goes to `outbox`, by its `seq`. */
  addStep(message: LogRecord, publish: SessionMessage[], context: SessionContext, outbox: Map<number, Owed>): void {
    const mark = markOf(message, publish);
    message.mark = mark;
    this.#addRecord(message);
    this.#stepLeaving = this.leaving.length;
    if (mark === 'in') this.#addPublished(message, publish, context, outbox);
    // Segments are cut between steps, so that a step's records can refer to each other.
    if (this.#lines.bytes >= limits.segment_bytes) this.#cut();
  }

  #addPublished(
    message: LogRecord,
    publish: SessionMessage[],
    context: SessionContext,
    outbox: Map<number, Owed>,
  ): void {
    for (const out of publish) {
      const { ts, epoch } = out;
      const record = recordOf(out, { ts, epoch, seq: this.lastSeq + 1, mark: 'out' });
      if (out.payload === message.payload && out.payload_of === undefined) record.payload_of = message.seq;
      const { seq } = record;
      this.#addRecord(record);
      if (out.target === 'AGENT' || out.target === 'SYSTEM') this.leaving.push(out);
      const debt = owes(context, out);
      if (debt === null) continue;
      outbox.set(seq, debt);
      this.#outboxAdd.push(seq);
    }
  }

  #addRecord(record: LogRecord): void {
    this.records.push(record);
    this.bytes += this.#lines.add(record);
    this.#flush ||= record.subtype !== 'chunk' && durabilityOf(record) === 'flush';
  }

  #cut(): void {
    if (this.#lines.isEmpty) return;
    const { epoch } = this.#start;
    const time = this.records.at(-1)?.ts ?? 0;
    const body = this.#lines.take();
    this.segments.push({ first_seq: this.#firstSeq, last_seq: this.lastSeq, epoch, time, body });
    this.#firstSeq = this.lastSeq + 1;
  }

  setTurn(row: TurnRow): void {
    const known = this.turns.findIndex(({ turn_id }) => turn_id === row.turn_id);
    this.turns[known < 0 ? this.turns.length : known] = row;
  }

  setRun(row: RunRow): void {
    const known = this.#runs.findIndex(({ run_id }) => run_id === row.run_id);
    this.#runs[known < 0 ? this.#runs.length : known] = row;
  }

  /** The messages that a step finished, which it returns, and the events that it holds. */
  addTold(fold: TranscriptFold, message: LogRecord, outs: readonly LogRecord[]): readonly TranscriptRow[] {
    const rows = fold.take(message, outs);
    for (const row of rows) fold.end.add(row);
    this.#transcript.push(...rows);
    this.#events.push(...eventRows(message, outs, fold.origins));
    for (let index = this.#stepLeaving; index < this.leaving.length; index += 1) {
      const out = this.leaving[index];
      if (out?.target === 'AGENT' && isTrigger(out)) this.leaving[index] = placed(out, fold);
    }
    return rows;
  }

  /** What these records mean for the inbox. */
  addInteractions(records: readonly LogRecord[], workspace_id: string): void {
    for (const record of records) {
      const change = interactionChange(record, workspace_id);
      if (change !== null) this.#interactions.push(change);
    }
  }

  addMessageId(id: string): void {
    this.#messageIds.push(id);
  }

  /** An answered row that this very unit adds need not be written at all. */
  settle(seq: number): void {
    const added = this.#outboxAdd.indexOf(seq);
    if (added < 0) this.#outboxRemove.push(seq);
    else this.#outboxAdd.splice(added, 1);
  }

  /** `context` is what must be saved with the unit, if anything must. */
  close(context: SessionContext | null): Unit {
    this.#cut();
    const { session_id, epoch, expected_seq, created } = this.#start;
    return {
      session_id,
      epoch,
      expected_seq,
      created,
      last_seq: this.lastSeq,
      time: this.records.at(-1)?.ts ?? 0,
      flush: this.#flush,
      fresh: true,
      segments: this.segments,
      context: context === null ? null : JSON.stringify(context),
      turns: this.turns,
      runs: this.#runs,
      transcript: this.#transcript,
      events: this.#events,
      interactions: this.#interactions,
      message_ids: this.#messageIds,
      outbox_add: this.#outboxAdd,
      outbox_remove: this.#outboxRemove,
    };
  }
}

/** An output that was forwarded as it came is one record, and so is one that was withheld. */
function markOf(message: SessionMessage, publish: SessionMessage[]): RecordMark {
  if (message.event !== 'AGENT_OUTPUT') return 'in';
  const [only] = publish;
  if (only === undefined) return 'suppressed';
  return publish.length === 1 && only.payload === message.payload ? 'both' : 'in';
}

/** What begins a run says how far the transcript goes, so that nobody has to read it for that. */
function placed(trigger: SessionMessage, { end, origins }: TranscriptFold): SessionMessage {
  const { turn_id } = trigger;
  const { thread_id, bot_id } = origins.of(turn_id);
  const place = turn_id === undefined || thread_id !== null || bot_id !== null ? null : end.of(turn_id);
  return place === null ? trigger : { ...trigger, transcript_end: place };
}
