import { assertStep } from '@rostra/kernel/session/assertions';
import type { SessionContext } from '@rostra/kernel/session/context';
import { nextDeadline } from '@rostra/kernel/session/deadlines';
import { isSettled, type Owed } from '@rostra/kernel/session/outbox';
import { step } from '@rostra/kernel/session/step';
import type { LogRecord } from '@rostra/protocol/record/record';
import type { UserInputPayload } from '@rostra/protocol/session/input';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Committer } from '../store/commit-loop.ts';
import type { TurnRow, Unit } from '../store/port.ts';
import { type Known, KnownMessages } from './known-messages.ts';
import { LogTail } from './log-tail.ts';
import { OpenUnit } from './open-unit.ts';
import { recordOf } from './record-line.ts';
import { timerMessage } from './timer-message.ts';
import { TurnRows } from './turn-rows.ts';

/** What became of a message, told after the commit that holds it. */
export interface Outcome {
  publish: SessionMessage[];
  known: Known | null;
}
export type Answer = (error: Error | null, outcome: Outcome) => void;

/** What a driver needs from the process around it. */
export interface DriverHost {
  now(): number;
  soon(task: () => void): void;
  wantCommit(driver: SessionDriver): void;
  wakeAt(driver: SessionDriver, at: number | null): void;
  /** The unit is committed: send what leaves, tell followers. */
  publish(driver: SessionDriver, unit: OpenUnit): void;
  /** The driver is done for: its session must be loaded again. */
  dropped(driver: SessionDriver, error: Error): void;
  /** A step threw: a bug. The message is left out, the session goes on. */
  poisoned(driver: SessionDriver, message: SessionMessage, error: Error): void;
}

/** A session as its driver takes it over: new, or folded from what the store had. */
export interface DriverStart {
  ownership: { workspace_id: string; owner_id: string };
  context: SessionContext;
  epoch: number;
  last_seq: number;
  saved_seq: number;
  /** Nothing of it is in the store yet. */
  isNew: boolean;
  turns: TurnRow[];
  outbox: Map<number, Owed>;
  /** Inputs of live turns, by the `seq` of their record. */
  inputs: Map<number, UserInputPayload>;
}

interface Entry {
  message: SessionMessage;
  answer: Answer | null;
}

const NOTHING: Outcome = { publish: [], known: null };

/**
 * Drives one session: steps its mailbox in memory, one message at a time, and lets nothing out before its unit is
 * committed. The only writer of the session's log (SR-INV-D3, L1).
 */
export class SessionDriver implements Committer {
  readonly session_id: string;
  readonly epoch: number;
  readonly ownership: DriverStart['ownership'];
  readonly tail: LogTail;
  readonly known: KnownMessages;
  context: SessionContext;
  committedSeq: number;
  /** Messages that had no effect: repeats, leftovers, strangers. */
  ignored = 0;
  readonly #host: DriverHost;
  readonly #mailbox: Entry[] = [];
  readonly #turns: TurnRows;
  readonly #outbox: Map<number, Owed>;
  readonly #inputs: Map<number, UserInputPayload>;
  /** How far the session's time runs ahead of the process's: the clock may have been set back between two owners. */
  readonly #ahead: number;
  #isNew: boolean;
  #seq: number;
  /** The record up to which the context was saved last. */
  #savedSeq: number;
  #unit: OpenUnit | null = null;
  #committing: OpenUnit | null = null;
  /** Entries at the head of the mailbox that this pump has stepped already. */
  #taken = 0;
  #isPumping = false;
  #now = 0;
  #isDropped = false;

  constructor(session_id: string, start: DriverStart, host: DriverHost) {
    this.session_id = session_id;
    this.epoch = start.epoch;
    this.tail = new LogTail(session_id);
    this.ownership = start.ownership;
    this.context = start.context;
    this.committedSeq = start.last_seq;
    this.known = new KnownMessages(start.isNew);
    this.#host = host;
    this.#turns = new TurnRows(start.turns);
    this.#outbox = start.outbox;
    this.#inputs = start.inputs;
    this.#ahead = Math.max(0, start.context.ts - host.now());
    this.#isNew = start.isNew;
    this.#seq = start.last_seq;
    this.#savedSeq = start.saved_seq;
  }

  /** Nothing was ever begun in this session: it is not closed, it has not been opened yet. */
  get isUntouched(): boolean {
    return this.context.state === 'CLOSED' && this.context.gen === 0;
  }

  get isIdle(): boolean {
    return this.#mailbox.length === 0 && this.#unit === null && this.#committing === null;
  }

  /** Puts a message at the end of the mailbox; the answer comes after the commit. */
  post(message: SessionMessage, answer: Answer | null = null): void {
    if (this.#isDropped) {
      answer?.(unavailable(), NOTHING);
    } else if (this.#mailbox.length >= limits.mailbox && answer !== null) {
      const text = 'this session has more messages waiting than it can take';
      answer(new ApiError('rate_limited', text, { retryable: true }), NOTHING);
    } else {
      this.#mailbox.push({ message, answer });
      this.#schedule();
    }
  }

  /** A deadline may be due. */
  wake(): void {
    if (!this.#isDropped) this.#schedule();
  }

  #schedule(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    this.#host.soon(() => this.#pump());
  }

  #pump(): void {
    this.#isPumping = false;
    if (this.#isDropped) return;
    this.#now = this.#host.now() + this.#ahead;
    while (this.#unit?.isFull !== true && !this.#isDropped) {
      const entry = this.#mailbox[this.#taken] ?? this.#dueTimer();
      if (entry === null) break;
      if (this.#taken < this.#mailbox.length) this.#taken += 1;
      this.#take(entry);
    }
    this.#mailbox.splice(0, this.#taken);
    this.#taken = 0;
    if (this.#isDropped) return;
    const next = nextDeadline(this.context);
    this.#host.wakeAt(this, next === null ? null : next.at - this.#ahead);
    if (this.#unit !== null) this.#host.wantCommit(this);
  }

  /** Expiries come after what already waits: the order of the log decides a race, and it is the order of arrival. */
  #dueTimer(): Entry | null {
    const deadline = nextDeadline(this.context);
    if (deadline === null || deadline.at > this.#time()) return null;
    return { message: timerMessage(this.context, deadline), answer: null };
  }

  /** One reading of the clock serves all messages that are taken together; the session's time never goes back. */
  #time(): number {
    return Math.max(this.context.ts, this.#now);
  }

  #take({ message, answer }: Entry): void {
    const known = message.sender.kind === 'user' ? this.known.get(message.id) : undefined;
    if (known !== undefined) {
      this.#answer(answer, { publish: [], known });
      return;
    }
    const stamped = this.#stamp(message);
    let stepped: ReturnType<typeof step>;
    try {
      stepped = step(this.context, stamped);
      assertStep(this.context, stepped.context);
      if (isExpiry(message) && stepped.context === this.context) throw new Error('a due timer had no effect');
    } catch (error) {
      this.#poison(stamped, error instanceof Error ? error : new Error(String(error)), answer);
      return;
    }
    const { context, publish } = stepped;
    if (context === this.context && publish.length === 0) {
      this.ignored += 1;
      this.#answer(answer, NOTHING);
      return;
    }
    this.#record(stamped, publish, context);
    this.#answer(answer, { publish, known: null });
  }

  #stamp(message: SessionMessage): LogRecord {
    const { kind } = message.sender;
    const epoch = kind === 'agent' || kind === 'session_manager' ? message.epoch : this.epoch;
    return recordOf(message, { ts: this.#time(), seq: this.#seq + 1, epoch, mark: 'in' });
  }

  #record(message: LogRecord, publish: SessionMessage[], context: SessionContext): void {
    const unit = this.#openUnit();
    const before = unit.records.length;
    if (message.event === 'USER_INPUT' && message.seq !== undefined) this.#inputs.set(message.seq, message.payload);
    const filled = this.#inputs.size === 0 ? publish : publish.map((out) => this.#fill(out));
    for (const [seq, owed] of unit.addStep(message, filled, context)) this.#outbox.set(seq, owed);
    this.#seq += unit.records.length - before;
    this.context = context;
    if (unit.records.length - before === 1 && message.event === 'AGENT_OUTPUT') return;
    const rows = this.#turns.update(message, publish, context);
    for (const row of rows) unit.setTurn(row);
    if (message.sender.kind === 'user') this.#remember(message, rows, unit);
    for (const [seq, owed] of this.#outbox) {
      if (!isSettled(context, owed)) continue;
      this.#outbox.delete(seq);
      unit.settle(seq);
    }
    this.#forgetInputs(context);
  }

  /** The input of a turn goes out with its payload, which the log holds only once. */
  #fill(out: SessionMessage): SessionMessage {
    if (out.event !== 'USER_INPUT' || out.payload_of === undefined) return out;
    const payload = this.#inputs.get(out.payload_of);
    if (payload === undefined) throw new Error(`the input of turn ${out.turn_id} is not at hand`);
    return { ...out, payload };
  }

  #openUnit(): OpenUnit {
    if (this.#unit === null) {
      const { session_id, epoch, ownership } = this;
      const created = this.#isNew ? ownership : null;
      this.#unit = new OpenUnit({ session_id, epoch, expected_seq: this.#seq, created });
      this.#isNew = false;
    }
    return this.#unit;
  }

  #remember(message: SessionMessage, rows: TurnRow[], unit: OpenUnit): void {
    const row = rows.find((each) => each.message_id === message.id);
    if (row !== undefined) {
      this.known.add(message.id, row);
    } else if (message.event !== 'USER_INPUT') {
      this.known.add(message.id, true);
      unit.addMessageId(message.id);
    }
  }

  /** The inputs of live turns are kept: they are sent when the turn is dispatched, which may be much later. */
  #forgetInputs(context: SessionContext): void {
    if (this.#inputs.size === 0) return;
    const needed = new Set(Object.values(context.inflight).map((turn) => turn.input_seq));
    for (const seq of this.#inputs.keys()) if (!needed.has(seq)) this.#inputs.delete(seq);
  }

  #answer(answer: Answer | null, outcome: Outcome): void {
    if (answer === null) return;
    const holder = this.#unit ?? this.#committing;
    if (holder === null) answer(null, outcome);
    else holder.answers.push((error) => answer(error, outcome));
  }

  #poison(message: SessionMessage, error: Error, answer: Answer | null): void {
    this.#host.poisoned(this, message, error);
    answer?.(new ApiError('runtime_error', 'this message could not be processed'), NOTHING);
    if (isExpiry(message)) this.drop(error);
  }

  takeUnit(): Unit | null {
    if (this.#unit === null || this.#isDropped) return null;
    if (this.#committing !== null) throw new Error('a unit was taken while one is in flight');
    this.#committing = this.#unit;
    this.#unit = null;
    const unit = this.#committing.close(this.#mustSave() ? this.context : null);
    if (unit.context !== null) this.#savedSeq = unit.last_seq;
    return unit;
  }

  /** The context is saved when the session comes to rest; in between it can be folded, unless that would take long. */
  #mustSave(): boolean {
    return isAtRest(this.context) || this.#seq - this.#savedSeq > limits.fold_records;
  }

  committed(): void {
    const unit = this.#committing;
    this.#committing = null;
    if (unit === null || this.#isDropped) return;
    this.committedSeq = unit.lastSeq;
    this.tail.push(unit.segments, unit.records);
    this.#host.publish(this, unit);
    for (const answer of unit.answers) answer(null);
    if (this.#mailbox.length > 0) this.#schedule();
  }

  fenced(): void {
    this.drop(new ApiError('runtime_error', 'another host took this session over', { retryable: true }));
  }

  failed(error: Error): void {
    this.drop(error);
  }

  /** Forgets everything since the last commit; whoever waits is told, and the session is loaded again. */
  drop(error: Error): void {
    if (this.#isDropped) return;
    this.#isDropped = true;
    this.#host.wakeAt(this, null);
    for (const unit of [this.#committing, this.#unit]) for (const answer of unit?.answers ?? []) answer(error);
    for (const { answer } of this.#mailbox.splice(this.#taken)) answer?.(unavailable(), NOTHING);
    this.#committing = null;
    this.#unit = null;
    this.#host.dropped(this, error);
  }
}

/** The driver's own word that a deadline is due; a TIMER from anybody else is noise (SR-INV-M5). */
function isExpiry({ event, sender }: SessionMessage): boolean {
  return event === 'TIMER' && sender.kind === 'driver';
}

function isAtRest({ inflight }: SessionContext): boolean {
  for (const _turn in inflight) return false;
  return true;
}

function unavailable(): ApiError {
  return new ApiError('runtime_error', 'this session is being loaded again', { retryable: true });
}
