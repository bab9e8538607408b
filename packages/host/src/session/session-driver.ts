import type { TranscriptFold } from '@rostra/kernel/projection/transcript';
import { assertStep } from '@rostra/kernel/session/assertions';
import type { SessionContext, Turn } from '@rostra/kernel/session/context';
import { type Deadline, nextDeadline } from '@rostra/kernel/session/deadlines';
import { isSettled, type Owed } from '@rostra/kernel/session/outbox';
import { step } from '@rostra/kernel/session/step';
import type { LogRecord } from '@rostra/protocol/record/record';
import type { UserInputPayload } from '@rostra/protocol/session/input';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { hit } from '../failpoint.ts';
import type { Committer } from '../store/commit-loop.ts';
import type { TurnRow, Unit } from '../store/port.ts';
import { ContextSaves } from './context-saves.ts';
import type { DriverStart, Ownership } from './driver-start.ts';
import { type Known, KnownMessages } from './known-messages.ts';
import { LogTail } from './log-tail.ts';
import { OpenUnit } from './open-unit.ts';
import { recordOf } from './record-line.ts';
import { loadedRuns, type RunRows } from './run-rows.ts';
import { SaidIndex } from './said-index.ts';
import { readOnly, unavailable } from './session-refusal.ts';
import { timerMessage } from './timer-message.ts';
import { isInput, type TurnInputs } from './turn-inputs.ts';
import { TurnRows } from './turn-rows.ts';

/** What became of a message, told after the commit that holds it. */
export interface Outcome {
  publish: SessionMessage[];
  known: Known | null;
  /** It changed something, whether or not anybody is told. */
  hasEffect?: boolean;
}
export type Answer = (error: Error | null, outcome: Outcome) => void;

/** What a driver needs from the process around it. */
export interface DriverHost {
  /** The id under which this process holds its sessions. */
  readonly holder: string;
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
  readonly ownership: Ownership;
  readonly tail: LogTail;
  readonly known: KnownMessages;
  readonly said: SaidIndex;
  context: SessionContext;
  committedSeq: number;
  /** When it had something to do last. */
  usedAt: number;
  /** The run that an agent was sent last: what must be ended if the session is lost. */
  sentRun: { run_id: string; turn_id: string } | null = null;
  /** Messages that had no effect: repeats, leftovers, strangers. */
  ignored = 0;
  readonly #host: DriverHost;
  readonly #mailbox: Entry[] = [];
  readonly #turns: TurnRows;
  readonly #outbox: Map<number, Owed>;
  readonly #inputs: TurnInputs;
  readonly #runs: RunRows;
  readonly #transcript: TranscriptFold;
  readonly #saves: ContextSaves;
  /** How far the session's time runs ahead of the process's: the clock may have been set back between two owners. */
  readonly #ahead: number;
  #isNew: boolean;
  #seq: number;
  #unit: OpenUnit | null = null;
  #committing: OpenUnit | null = null;
  /** Entries at the head of the mailbox that this pump has stepped already. */
  #taken = 0;
  #isPumping = false;
  #now = 0;
  /** The next deadline, and the context of which it is. */
  #deadline: { of: SessionContext; next: Deadline | null } | null = null;
  #isDropped = false;
  #isReadOnly = false;

  constructor(session_id: string, start: DriverStart, host: DriverHost) {
    this.session_id = session_id;
    this.epoch = start.epoch;
    this.tail = new LogTail(session_id);
    this.ownership = start.ownership;
    this.context = start.context;
    this.committedSeq = start.last_seq;
    this.known = new KnownMessages(start.names?.messages ?? null);
    this.said = new SaidIndex(start.names?.said ?? null);
    this.#host = host;
    this.#turns = new TurnRows(start.turns);
    this.#outbox = start.outbox;
    this.#inputs = start.inputs;
    this.#runs = loadedRuns(start.context);
    this.#transcript = start.transcript;
    this.usedAt = host.now();
    this.#ahead = Math.max(0, start.context.ts - host.now());
    this.#isNew = start.isNew;
    this.#seq = start.last_seq;
    this.#saves = new ContextSaves(start.saved_seq);
  }

  /** Nothing was ever begun in this session: it is not closed, it has not been opened yet. */
  get isUntouched(): boolean {
    return this.context.state === 'CLOSED' && this.context.gen === 0;
  }

  get isIdle(): boolean {
    return this.#mailbox.length === 0 && this.#unit === null && this.#committing === null;
  }

  /** Nothing is under way, awaited or owed: what is here can be had from the store at any time. */
  get isAtRest(): boolean {
    if (!this.isIdle || this.#isPumping || this.#isDropped || this.#outbox.size > 0) return false;
    return nextDeadline(this.context) === null && isEmpty(this.context.inflight) && isEmpty(this.context.transactions);
  }

  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  /** Messages that were posted and not stepped yet. */
  get waiting(): number {
    return this.#mailbox.length;
  }

  /** What a live turn was given; undefined before that is committed, and for one that began without an input. */
  inputOf({ input_seq }: Turn): UserInputPayload | undefined {
    return input_seq === null || input_seq > this.committedSeq ? undefined : this.#inputs.at(input_seq);
  }

  /** Puts a message at the end of the mailbox; the answer comes after the commit. */
  post(message: SessionMessage, answer: Answer | null = null): void {
    if (this.#isDropped) {
      answer?.(unavailable(), NOTHING);
    } else if (this.#isReadOnly && message.sender.kind === 'user') {
      answer?.(readOnly(), NOTHING);
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
    this.usedAt = this.#host.now();
    this.#now = this.usedAt + this.#ahead;
    while (this.#unit?.isFull !== true && !this.#isDropped) {
      const entry = this.#mailbox[this.#taken] ?? this.#dueTimer();
      if (entry === null) break;
      if (this.#taken < this.#mailbox.length) this.#taken += 1;
      this.#take(entry);
    }
    this.#mailbox.splice(0, this.#taken);
    this.#taken = 0;
    if (this.#isDropped) return;
    const next = this.#nextDeadline();
    this.#host.wakeAt(this, next === null ? null : next.at - this.#ahead);
    if (this.#unit !== null) this.#host.wantCommit(this);
  }

  /** Expiries come after what already waits: the order of the log decides a race, and it is the order of arrival. */
  #dueTimer(): Entry | null {
    const deadline = this.#nextDeadline();
    if (deadline === null || deadline.at > this.#time()) return null;
    return { message: timerMessage(this.context, deadline), answer: null };
  }

  #nextDeadline(): Deadline | null {
    if (this.#isReadOnly) return null;
    if (this.#deadline?.of !== this.context) this.#deadline = { of: this.context, next: nextDeadline(this.context) };
    return this.#deadline.next;
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
      hit('session.step');
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
    this.#answer(answer, { publish, known: null, hasEffect: true });
  }

  #stamp(message: SessionMessage): LogRecord {
    const { kind } = message.sender;
    const epoch = kind === 'agent' || kind === 'session_manager' ? message.epoch : this.epoch;
    return recordOf(message, { ts: this.#time(), seq: this.#seq + 1, epoch, mark: 'in' });
  }

  #record(message: LogRecord, publish: SessionMessage[], context: SessionContext): void {
    const unit = this.#openUnit();
    const before = unit.records.length;
    if (message.event === 'USER_INPUT') this.#inputs.add(message.seq, message);
    else this.#inputs.addPublished(message.seq, publish);
    unit.addStep(message, this.#inputs.filled(publish), context, this.#outbox);
    this.#seq += unit.records.length - before;
    this.context = context;
    if (unit.records.length - before === 1 && message.event === 'AGENT_OUTPUT') {
      if (message.subtype === 'chunk' && message.mark === 'both') this.#transcript.hear(message);
      else {
        this.said.add(unit.addTold(this.#transcript, message, []));
        this.#runs.hear(message);
      }
      return;
    }
    const outs = unit.records.slice(before + 1);
    this.said.add(unit.addTold(this.#transcript, message, outs));
    unit.addInteractions(outs, this.ownership.workspace_id);
    for (const out of outs) if (out.payload_of === undefined) this.#inputs.add(out.seq, out);
    const rows = this.#turns.update(message, publish, context);
    for (const row of rows) unit.setTurn(row);
    for (const row of this.#runs.update(message, publish, context)) unit.setRun(row);
    if (message.sender.kind === 'user') this.#remember(message, rows, unit);
    for (const [seq, owed] of this.#outbox) {
      if (!isSettled(context, owed)) continue;
      this.#outbox.delete(seq);
      unit.settle(seq);
    }
    this.#inputs.forget(message, rows, context);
  }

  #openUnit(): OpenUnit {
    if (this.#unit === null) {
      const { session_id, epoch, ownership } = this;
      const created = this.#isNew ? { ...ownership, holder: this.#host.holder } : null;
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

  #answer(answer: Answer | null, outcome: Outcome): void {
    if (answer !== null) this.whenCommitted((error) => answer(error, outcome));
  }

  /** Tells when all that was stepped until now is committed. */
  whenCommitted(done: (error: Error | null) => void): void {
    const holder = this.#unit ?? this.#committing;
    if (holder === null) done(null);
    else holder.answers.push(done);
  }

  #poison(message: SessionMessage, error: Error, answer: Answer | null): void {
    this.#host.poisoned(this, message, error);
    answer?.(new ApiError('runtime_error', 'this message could not be processed'), NOTHING);
    if (isExpiry(message) && !this.#isReadOnly) this.drop(error);
  }

  /**
   * Takes no more messages of people: the session failed too often. What is under way ends visibly, if that can still be
   * decided; its log can be read as before.
   */
  quarantine(poisoned: number): void {
    if (this.#isReadOnly || this.#isDropped) return;
    this.#isReadOnly = true;
    const { session_id, epoch } = this;
    const envelope = {
      id: `quarantined:${epoch}`,
      session_id,
      sender: { kind: 'driver' as const, id: 'driver' },
      target: 'SYSTEM' as const,
      visibility: 'internal' as const,
      ts: 0,
      epoch,
    };
    this.post(MessageFactory.control('SESSION_QUARANTINED', { poisoned }, envelope));
  }

  takeUnit(): Unit | null {
    if (this.#unit === null || this.#isDropped) return null;
    if (this.#committing !== null) throw new Error('a unit was taken while one is in flight');
    this.#committing = this.#unit;
    this.#unit = null;
    return this.#committing.close(this.#saves.due(this.context, this.#seq));
  }

  committed(): void {
    const unit = this.#committing;
    this.#committing = null;
    if (unit === null || this.#isDropped) return;
    this.committedSeq = unit.lastSeq;
    this.tail.push(unit.segments, unit.records);
    for (const message of unit.leaving) {
      const { run_id, turn_id } = message;
      if (isInput(message) && run_id !== undefined && turn_id !== undefined) this.sentRun = { run_id, turn_id };
    }
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

  /** Leaves memory at rest: nothing is lost with it, and whoever comes late is sent to the one that is loaded next. */
  retire(): void {
    this.#isDropped = true;
    this.#host.wakeAt(this, null);
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

function isEmpty(record: object): boolean {
  for (const _key in record) return false;
  return true;
}
