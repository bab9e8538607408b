import type { Resume, TurnEvent } from '@rostra/protocol/session/input';
import type { PayloadOf, SessionMessage, SubtypeOf } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import type { ApiErrorCode } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { SessionReason } from '@rostra/protocol/wire/reason';
import { copyOf, type SessionContext, type Transaction, type Turn } from './context.ts';
import { withEntry, withoutEntry } from './entry.ts';

interface Refusal {
  reason: SessionReason;
  code: ApiErrorCode;
  message: string;
  retryable?: boolean;
  hint?: string;
  details?: JsonObject;
}

type FailureSubtype = Exclude<SubtypeOf<'ERROR'>, 'RUN_FAILED'>;
interface Scope {
  turn?: Pick<Turn, 'turn_id' | 'trace_id'>;
  tx_id?: string;
}

type Rest = Parameters<typeof MessageFactory.control>[2];
/** Whom a message goes to. */
type Address = Pick<Rest, 'target' | 'target_id' | 'run_id' | 'requested_by' | 'payload_of'> & { id?: string };
const frontend: Address = { target: 'FRONTEND' };

/** One step in the making: the context so far and what it publishes. Local to `step`, so `step` stays pure. */
export class Draft {
  context: SessionContext;
  readonly publish: SessionMessage[] = [];
  readonly cause: SessionMessage;
  readonly #before: SessionContext;
  /** The table of turns that was made in this step, if one was: only that may be changed in place. */
  #turns: Record<string, Turn> | null = null;

  constructor(context: SessionContext, cause: SessionMessage) {
    this.context = context;
    this.cause = cause;
    this.#before = context;
  }

  get ts(): number {
    return this.cause.ts;
  }

  /** The first change makes a copy, which is the draft's own until the step is over. */
  #change(): SessionContext {
    if (this.context === this.#before) this.context = copyOf(this.#before);
    return this.context;
  }

  set(change: Partial<SessionContext>): void {
    Object.assign(this.#change(), change);
  }

  setTurn(turn: Turn): void {
    const context = this.#change();
    if (context.inflight === this.#turns) this.#turns[turn.turn_id] = turn;
    else this.#turns = context.inflight = withEntry(context.inflight, turn.turn_id, turn);
  }

  dropTurn(turn_id: string): void {
    const inflight = withoutEntry(this.context.inflight, turn_id);
    this.set({ inflight, queue: this.context.queue.filter((id) => id !== turn_id) });
  }

  setTx(tx: Transaction): void {
    this.#change().transactions = withEntry(this.context.transactions, tx.tx_id, tx);
  }

  dropTx(tx_id: string): void {
    this.set({ transactions: withoutEntry(this.context.transactions, tx_id) });
  }

  /** A generation that no armed timer has yet. */
  nextGen(): number {
    this.#change().gen += 1;
    return this.context.gen;
  }

  /** Who sends, when, about what; whom it goes to is filled in by each kind of message. */
  #envelope(scope: Scope, to: Address): Rest {
    return {
      id: to.id ?? `${this.cause.id}/${this.publish.length}`,
      session_id: this.context.session_id,
      sender: { kind: 'session', id: this.context.session_id },
      target: to.target,
      target_id: to.target_id,
      turn_id: scope.turn?.turn_id,
      requested_by: to.requested_by,
      trace_id: scope.turn?.trace_id,
      tx_id: scope.tx_id,
      run_id: to.run_id,
      visibility: to.target === 'SYSTEM' ? 'internal' : 'both',
      ts: this.ts,
      epoch: this.context.epoch,
      payload_of: to.payload_of,
    };
  }

  event<S extends SubtypeOf<'EVENT'>>(subtype: S, payload: PayloadOf<'EVENT', S>, scope: Scope = {}): void {
    this.publish.push(MessageFactory.event(subtype, payload, this.#envelope(scope, frontend)));
  }

  control<S extends SubtypeOf<'CONTROL'>>(
    to: Address,
    subtype: S,
    payload: PayloadOf<'CONTROL', S>,
    scope: Scope = {},
  ): void {
    this.publish.push(MessageFactory.control(subtype, payload, this.#envelope(scope, to)));
  }

  /** The turn's input, to its agent. The payload stays where it is in the log; the driver fills it in. */
  input(turn: Turn, run_id: string, input_seq: number, resume?: Resume): void {
    const { target_agent_id: target_id, requested_by } = turn;
    const to: Address = { target: 'AGENT', target_id, run_id, requested_by, payload_of: input_seq };
    const payload = { input: { text: null, contents: [], attachments: [], message_chain: null }, data: {} };
    const again = resume === undefined ? payload : { ...payload, resume };
    this.publish.push(MessageFactory.userInput(again, this.#envelope({ turn }, to)));
  }

  /** What starts a turn that nobody's message started: the input itself, which dispatches refer to. */
  eventInput(turn: Turn, event: TurnEvent): void {
    const input = { text: null, contents: [], attachments: [], message_chain: null };
    const to: Address = { ...frontend, requested_by: turn.requested_by };
    this.publish.push(MessageFactory.userInput({ input, data: {}, event }, this.#envelope({ turn }, to)));
  }

  /** What an agent was handed over, again; filled in like an input. */
  handoverContext(turn: Turn, run_id: string, context_seq: number, resume: Resume): void {
    const to: Address = { target: 'AGENT', target_id: turn.target_agent_id, run_id, payload_of: context_seq };
    const payload = { from_agent_id: turn.target_agent_id, reason: '', summary: '', output: '', resume };
    this.control(to, 'HANDOVER_CONTEXT', payload, { turn });
  }

  output<S extends 'message.started' | 'message.ended'>(
    subtype: S,
    payload: PayloadOf<'AGENT_OUTPUT', S>,
    turn: Turn,
  ): void {
    this.publish.push(MessageFactory.output(subtype, payload, this.#envelope({ turn }, frontend)));
  }

  /** The message that caused this step, to frontends: same payload and metadata, the session's envelope (SR-INV-O5). */
  forward(message: SessionMessage): void {
    this.publish.push({
      ...message,
      sender: { kind: 'session', id: this.context.session_id },
      target: 'FRONTEND',
      epoch: this.context.epoch,
    });
  }

  /** Something was given up, or `cause` is refused: an ERROR to frontends that names what it answers. */
  error(subtype: FailureSubtype, refusal: Refusal, scope: Scope & { ref?: string } = {}): void {
    const { reason, code, message, retryable = false, hint, details = {} } = refusal;
    const payload = {
      ref: scope.ref ?? this.cause.id,
      reason,
      code,
      message,
      retryable,
      details: { ...details, reason, ...(hint !== undefined && { hint }) },
    };
    this.publish.push(MessageFactory.error(subtype, payload, this.#envelope(scope, frontend)));
  }

  refuse(refusal: Refusal): void {
    this.error('REFUSED', refusal);
  }
}
