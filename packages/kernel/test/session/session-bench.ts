import { assertStep } from '@rostra/kernel/session/assertions';
import {
  dispatchedTurn,
  emptyContext,
  pendingTransaction,
  type SessionContext,
  type Transaction,
  type Turn,
} from '@rostra/kernel/session/context';
import { type Deadline, deadlines, nextDeadline } from '@rostra/kernel/session/deadlines';
import { settled } from '@rostra/kernel/session/speech';
import { step } from '@rostra/kernel/session/step';
import { type InteractionPurpose, UserInputPayload } from '@rostra/protocol/session/input';
import {
  kindOf,
  type PayloadOf,
  type SessionEvent,
  type SessionMessage,
  SessionPayloads,
  type SubtypeOf,
} from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { AgentPolicy, type SessionSettings } from '@rostra/protocol/session/roster';
import type { Sender } from '@rostra/protocol/session/sender';
import type { AgentAPIError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { timeouts } from '@rostra/protocol/wire/limits';

export interface BenchOptions {
  session_id?: string;
  /** Who is in the session once it is open; the first one is active. */
  agents?: string[];
  policies?: Record<string, Partial<AgentPolicy>>;
  default_agent_id?: string | null;
  auto_invite?: boolean;
  timeouts?: Partial<SessionSettings['timeouts']>;
}

export interface Saying {
  mention?: string;
  subtype?: 'INPUT' | 'MENTION';
  metadata?: JsonObject;
  turn_id?: string;
  id?: string;
  sender?: Sender;
}

type Extra = Partial<Omit<SessionMessage, 'event' | 'subtype' | 'payload'>>;

export const owner: Sender = { kind: 'user', id: 'owner', role: 'owner' };
export const manager: Sender = { kind: 'session_manager', id: 'session_manager' };
export const driver: Sender = { kind: 'driver', id: 'driver' };
export const START = 1_700_000_000_000;
const broken: AgentAPIError = { code: 'runtime_error', message: 'broken', retryable: false, details: {} };

/**
 * Drives `step` as the driver does: one message at a time, stamped with seq and time, a client's repeats found by their
 * id, deadlines fired as TIMER messages. Every step is checked; whoever sends nothing in particular speaks for the
 * dispatched turn's agent, or answers the pending transaction.
 */
export class SessionBench {
  context: SessionContext;
  now = START;
  seq = 0;
  epoch = 1;
  /** What had an effect, in order: the log's `in` records. */
  readonly inputs: SessionMessage[] = [];
  readonly published: SessionMessage[] = [];
  readonly options: BenchOptions;
  readonly #known = new Set<string>();
  #count = 0;

  constructor(options: BenchOptions = {}) {
    this.options = options;
    this.context = emptyContext(options.session_id ?? 'thread-1');
    const settings: SessionSettings = {
      default_agent_id: options.default_agent_id ?? null,
      auto_invite: options.auto_invite ?? false,
      timeouts: { ...timeouts, ...options.timeouts },
    };
    const payload = { workspace_id: 'workspace-1', owner_id: owner.id, settings };
    this.send('CONTROL', 'SESSION_CREATED', payload, { sender: driver });
  }

  /** A session that is open with these agents. */
  static open(options: BenchOptions = {}): SessionBench {
    const bench = new SessionBench(options);
    bench.openSession();
    bench.opened();
    return bench;
  }

  /** Steps one message as it is and returns what the step published. */
  take(message: SessionMessage): SessionMessage[] {
    if (message.sender.kind === 'user' && this.#known.has(message.id)) return [];
    const before = this.context;
    const { context, publish } = step(before, message);
    assertStep(before, context);
    for (const out of publish) checkPublished(out);
    if (context === before && publish.length === 0) return publish;
    if (message.sender.kind === 'user') this.#known.add(message.id);
    this.context = context;
    this.inputs.push(message);
    this.published.push(...publish);
    this.seq += 1 + publish.length;
    return publish;
  }

  send<E extends SessionEvent, S extends SubtypeOf<E>>(
    event: E,
    subtype: S,
    payload: PayloadOf<E, S>,
    extra: Extra = {},
  ): SessionMessage[] {
    return this.take(this.make(event, subtype, payload, extra));
  }

  make<E extends SessionEvent, S extends SubtypeOf<E>>(
    event: E,
    subtype: S,
    payload: PayloadOf<E, S>,
    extra: Extra = {},
  ): SessionMessage {
    if (extra.id === undefined) this.#count += 1;
    const envelope = {
      id: `m${this.#count}`,
      session_id: this.context.session_id,
      sender: owner,
      target: 'SYSTEM' as const,
      ts: this.now,
      seq: this.seq + 1,
      epoch: this.epoch,
    };
    return MessageFactory.make(event, subtype, payload, { ...envelope, ...extra });
  }

  // what tests ask

  get turn(): Turn {
    const turn = dispatchedTurn(settled(this.context));
    if (turn === null) throw new Error('no turn is dispatched');
    return turn;
  }

  turnOf(turn_id: string): Turn | undefined {
    return settled(this.context).inflight[turn_id];
  }

  tx(kind: Transaction['kind']): Transaction {
    const tx = pendingTransaction(this.context, kind);
    if (tx === null) throw new Error(`no ${kind} is pending`);
    return tx;
  }

  deadline(kind: Deadline['kind']): Deadline {
    const found = deadlines(this.context).find((each) => each.kind === kind);
    if (found === undefined) throw new Error(`no ${kind} is armed`);
    return found;
  }

  get fe(): string[] {
    return feKinds(this.published);
  }

  // a client

  say(text = 'hi', saying: Saying = {}): SessionMessage[] {
    const { mention, metadata, turn_id, id, sender = owner } = saying;
    const subtype = saying.subtype ?? (mention === undefined ? 'INPUT' : 'MENTION');
    const input = { text, contents: [], attachments: [], message_chain: null };
    const payload = { input, data: {}, ...(mention !== undefined && { mentioned_agent_id: mention }) };
    const extra = {
      ...(metadata && { metadata }),
      ...(id !== undefined && { id }),
      turn_id: turn_id ?? `t${this.#count + 1}`,
      sender,
    };
    return this.send('USER_INPUT', subtype, payload, extra);
  }

  /** A message that an event of a platform brought. */
  event(change: object, turn_id: string): SessionMessage[] {
    const told = { event_id: 'e', event_type: 'message.received', source: 'x', trigger_source: 'platform', ...change };
    const payload = UserInputPayload.parse({ input: { text: 'hi' }, event: told });
    return this.send('USER_INPUT', 'INPUT', payload, { turn_id, sender: owner });
  }

  control<S extends SubtypeOf<'CONTROL'>>(subtype: S, payload: PayloadOf<'CONTROL', S>, extra: Extra = {}) {
    return this.send('CONTROL', subtype, payload, extra);
  }

  cancel(turn_id?: string, reason?: string): SessionMessage[] {
    return this.control('CANCEL', {
      ...(turn_id !== undefined && { turn_id }),
      ...(reason !== undefined && { reason }),
    });
  }

  openSession(payload: PayloadOf<'CONTROL', 'SESSION_OPEN'> = {}): SessionMessage[] {
    return this.control('SESSION_OPEN', payload);
  }

  confirm(tx_id = this.tx('HANDOVER').tx_id): SessionMessage[] {
    return this.control('HANDOVER_CONFIRM', {}, { tx_id });
  }

  reject(tx_id = this.tx('HANDOVER').tx_id): SessionMessage[] {
    return this.control('HANDOVER_REJECT', {}, { tx_id });
  }

  answer(interaction_id: string): SessionMessage[] {
    return this.control('INTERACTION_ANSWERED', { interaction_id, action_id: 'yes', values: {} });
  }

  // the dispatched turn's agent

  fromAgent(turn = this.turn): Extra & { sender: Sender } {
    const { turn_id, trace_id, target_agent_id, run_id } = turn;
    const run = run_id === null ? {} : { run_id };
    return { turn_id, trace_id, ...run, sender: { kind: 'agent', id: target_agent_id } };
  }

  numbered(sequence = this.turn.next_sequence): Extra & { sender: Sender } {
    const { run_id } = this.turn;
    return { ...this.fromAgent(), id: `${run_id}:${sequence}`, sequence };
  }

  ack(): SessionMessage[] {
    return this.control('INPUT_ACK', {}, { ...this.fromAgent(), id: `${this.turn.run_id}:ack` });
  }

  cancelAck(): SessionMessage[] {
    return this.control('CANCEL_ACK', {}, { ...this.fromAgent(), id: `${this.turn.run_id}:cancel-ack` });
  }

  chunk(
    text: string,
    chunk: { message_id?: string; n?: number; sequence?: number; more?: string[] } = {},
  ): SessionMessage[] {
    const { message_id = `${this.turn.run_id}.m0`, n = this.turn.next_chunk, sequence, ...more } = chunk;
    return this.send('AGENT_OUTPUT', 'chunk', { message_id, n, text, ...more }, this.numbered(sequence));
  }

  message(content: string, message_id = `${this.turn.run_id}.m0`): SessionMessage[] {
    return this.output('message', { message_id, role: 'assistant', content });
  }

  output<S extends SubtypeOf<'AGENT_OUTPUT'>>(subtype: S, payload: PayloadOf<'AGENT_OUTPUT', S>): SessionMessage[] {
    return this.send('AGENT_OUTPUT', subtype, payload, this.numbered());
  }

  callStarted(tool_call_id = 'call-1'): SessionMessage[] {
    return this.output('tool.call.started', { tool_call_id, tool_name: 'search' });
  }

  callCompleted(tool_call_id = 'call-1'): SessionMessage[] {
    return this.output('tool.call.completed', { tool_call_id, tool_name: 'search' });
  }

  final(): SessionMessage[] {
    return this.output('final', {});
  }

  fail(code = 'runner.error'): SessionMessage[] {
    const payload = { code, message: 'it failed', retryable: false };
    return this.send('ERROR', 'RUN_FAILED', payload, { ...this.fromAgent(), id: `${this.turn.run_id}:failed` });
  }

  /** A failure that belongs to no turn. */
  agentError(agent_id: string, id = `error-${this.#count}`): SessionMessage[] {
    const payload = { code: 'runner.exited', message: 'in secret.ts, line 7', retryable: true };
    return this.send('ERROR', 'RUN_FAILED', payload, { id, sender: { kind: 'agent', id: agent_id } });
  }

  alive(): SessionMessage[] {
    return this.control('RUN_ALIVE', {}, this.fromAgent());
  }

  askHandover(target_agent_id: string, summary = 'so far'): SessionMessage[] {
    return this.control('HANDOVER_REQUEST', { target_agent_id, reason: 'better suited', summary }, this.numbered());
  }

  ask(interaction_id = 'q1', expires_in?: number, purpose: InteractionPurpose = 'question'): SessionMessage[] {
    const expiry = expires_in === undefined ? {} : { expires_in };
    const payload = { interaction_id, purpose, kind: 'confirmation', ...expiry, request: {} };
    return this.control('INTERACTION_REQUESTED', payload, this.numbered());
  }

  pull(...turn_ids: string[]): SessionMessage[] {
    return this.control('STEERING_PULLED', { turn_ids }, this.fromAgent());
  }

  // the SessionManager, answering the pending transaction

  receipt<S extends SubtypeOf<'CONTROL'>>(subtype: S, payload: PayloadOf<'CONTROL', S>, tx_id: string) {
    return this.control(subtype, payload, { sender: manager, tx_id });
  }

  member(agent_id: string) {
    return { agent_id, policy: AgentPolicy.parse(this.options.policies?.[agent_id] ?? {}) };
  }

  opened(agents = this.options.agents ?? ['a', 'b']): SessionMessage[] {
    const payload = { agents: agents.map((id) => this.member(id)), active_agent_id: agents[0] ?? null };
    return this.receipt('SESSION_OPENED', payload, this.tx('OPEN').tx_id);
  }

  closed(): SessionMessage[] {
    return this.receipt('SESSION_CLOSED', {}, this.tx('CLOSE').tx_id);
  }

  sessionFailed(kind: 'OPEN' | 'CLOSE'): SessionMessage[] {
    return this.receipt('SESSION_FAILED', { error: broken }, this.tx(kind).tx_id);
  }

  addDone(tx = this.tx('INVITE')): SessionMessage[] {
    return this.receipt('ADD_AGENT_DONE', this.member(tx.agent_id ?? ''), tx.tx_id);
  }

  addFailed(tx = this.tx('INVITE')): SessionMessage[] {
    return this.receipt('ADD_AGENT_FAILED', { error: broken }, tx.tx_id);
  }

  removeDone(tx = this.tx('REMOVE')): SessionMessage[] {
    return this.receipt('REMOVE_AGENT_DONE', { agent_id: tx.agent_id ?? '', attempt: tx.attempt }, tx.tx_id);
  }

  removeFailed(tx = this.tx('REMOVE')): SessionMessage[] {
    const payload = { agent_id: tx.agent_id ?? '', attempt: tx.attempt, error: broken };
    return this.receipt('REMOVE_AGENT_FAILED', payload, tx.tx_id);
  }

  // time, and the driver

  /** Lets time pass; what is due on the way fires at its instant. Returns what was published meanwhile. */
  advance(ms: number): SessionMessage[] {
    const until = this.now + ms;
    const published: SessionMessage[] = [];
    for (let due = nextDeadline(this.context); due !== null && due.at <= until; due = nextDeadline(this.context)) {
      this.now = Math.max(this.now, due.at);
      const before = this.context;
      published.push(...this.fire(due));
      if (this.context === before) throw new Error(`the due timer ${due.kind} had no effect`);
    }
    this.now = until;
    return published;
  }

  /** A TIMER message now, due or not. */
  fire({ kind, gen, turn_id = '', tx_id = '', interaction_id = '' }: Deadline): SessionMessage[] {
    const extra = { sender: driver };
    if (kind === 'TX') return this.send('TIMER', 'TX', { tx_id, gen }, extra);
    if (kind === 'INTERACTION') return this.send('TIMER', kind, { turn_id, gen, interaction_id }, extra);
    return this.send('TIMER', kind, { turn_id, gen }, extra);
  }

  /** A new owner loads the session from what was stored of it. */
  recover(): SessionMessage[] {
    this.context = JSON.parse(JSON.stringify(this.context)) as SessionContext;
    this.epoch += 1;
    return this.control('SESSION_RECOVERED', { epoch: this.epoch }, { sender: driver });
  }
}

/** What leaves a step has a payload that its schema accepts, and comes from the session (SR-INV-O7). */
function checkPublished(out: SessionMessage): void {
  const subtypes: Record<string, { parse(value: unknown): unknown }> = SessionPayloads[out.event];
  subtypes[out.subtype]?.parse(out.payload);
  if (out.sender.kind !== 'session') throw new Error(`${kindOf(out)} was published as ${out.sender.kind}`);
}

export function kinds(messages: SessionMessage[]): string[] {
  return messages.map(kindOf);
}

export function feKinds(messages: SessionMessage[]): string[] {
  return kinds(messages.filter((message) => message.target === 'FRONTEND'));
}

/** The one message of this kind among these; more or none is a mistake of the step. */
export function only<E extends SessionEvent, S extends SubtypeOf<E>>(
  messages: SessionMessage[],
  event: E,
  subtype: S,
  target?: SessionMessage['target'],
): Extract<SessionMessage, { event: E; subtype: S }> {
  const found = messages.filter((message): message is Extract<SessionMessage, { event: E; subtype: S }> => {
    return message.event === event && message.subtype === subtype && (target ?? message.target) === message.target;
  });
  const [first] = found;
  if (found.length !== 1 || first === undefined)
    throw new Error(`${found.length} × ${event}:${subtype} in ${kinds(messages)}`);
  return first;
}

export function refusalOf(messages: SessionMessage[]) {
  return only(messages, 'ERROR', 'REFUSED').payload;
}
