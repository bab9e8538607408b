import type { InteractionPurpose } from '@rostra/protocol/session/input';
import type { AgentPolicy, SessionSettings } from '@rostra/protocol/session/roster';
import { timeouts } from '@rostra/protocol/wire/limits';

/** What a live turn waits for. Every item but STEERING has one deadline and one generation (SR-INV-T11). */
export interface Waiting {
  for: 'QUEUE' | 'ADD_AGENT' | 'INPUT_ACK' | 'CANCEL_ACK' | 'STEERING' | 'INTERACTION';
  /** Null only for STEERING, which ends with its parent, and ADD_AGENT, whose transaction has the deadline. */
  until: number | null;
  gen: number;
  interaction_id?: string;
  /** INTERACTION: what is asked for, and in what form. */
  purpose?: InteractionPurpose;
  kind?: string;
  /** INTERACTION: where the log tells of it, and the calls that it asks a client to answer. */
  opened_seq?: number;
  calls?: string[];
}

/** Which bot and thread of its conversation a turn belongs to. */
export interface Place {
  bot_id: string | null;
  thread_id: string | null;
}

/** One accepted input on its way. Finished turns leave the context; their fate is in the log. */
export interface Turn {
  turn_id: string;
  trace_id: string;
  requested_by: string;
  target_agent_id: string;
  status: 'ROUTING' | 'RUNNING';
  waiting: Waiting[];
  created_at: number;
  /** Accept order; the queue and steering turns keep it. */
  accepted: number;
  /** Which bot and thread its input named, if it named any. */
  conversation?: Place | undefined;
  /** The event binding whose grant its runs have, within the agent's own; the agent's alone where none took the event. */
  binding_id?: string | undefined;
  /** Where its input stands in the log; null for a turn made by a handover. */
  input_seq: number | null;
  client_run_id: string | null;
  /** Turn it steers, or the turn that handed over to it. */
  parent: string | null;
  /** Handovers since the user's input. */
  depth: number;
  /** A steering turn whose text the running agent has taken. */
  pulled: boolean;
  /** A steering turn that its parent left behind: it waits in the queue beyond the queue's limit. */
  requeued: boolean;
  /** Where the HANDOVER_CONTEXT stands that is the input of a turn made by a handover. */
  context_seq: number | null;

  // from dispatch on
  /** Runs so far; `run_id` is that of the last one. */
  attempt: number;
  run_id: string | null;
  /** Its run was lost while a person was asked: the next attempt begins with the answer, and nobody has it yet. */
  is_lost: boolean;
  gen: number;
  dispatched_at: number | null;
  /** T_turn as an instant; moves by the time waited for a person. */
  turn_until: number | null;
  paused_at: number | null;
  last_output_at: number;
  first_output_at: number | null;
  next_sequence: number;
  next_chunk: number;
  output_bytes: number;
  /** The message whose `message.started` was published and `message.ended` not yet. */
  open_message_id: string | null;
  open_calls: number;
  collected_output: string;
  cancel: { reason: string; requested_by: string } | null;
}

/** A choreography over several messages, correlated by tx_id. Only pending ones are kept. */
export interface Transaction {
  tx_id: string;
  kind: 'REMOVE' | 'INVITE' | 'HANDOVER' | 'OPEN' | 'CLOSE' | 'CANCEL';
  step: 'REQUESTED' | 'STOPPING' | 'PROMPTED';
  until: number;
  gen: number;
  requested_by: string;
  /** Id of the message that began it; those that join share its outcome. */
  ref: string;
  agent_id: string | null;
  /** CANCEL: the turn. HANDOVER: the asking turn. INVITE: the turn that waits for the agent. */
  turn_id: string | null;
  attempt: number;
  reason: string;
  activate: boolean;
  /** HANDOVER: who asked, and in what words. */
  handover: Handover | null;
  /** OPEN: the roster that was asked for; null means the default one. */
  agents: string[] | null;
  /** HANDOVER: the client's name for the run that its confirmation begins. */
  client_run_id?: string;
}

/** Who hands over, in what words, and what the next turn has from the asking one. */
export interface Handover extends Inherited {
  from_agent_id: string;
  summary: string;
  output: string;
  depth: number;
  trace_id: string;
}

/** Where a turn belongs and by whose leave it acts: turns that come of it belong there too, and may do no more. */
export type Inherited = Pick<Turn, 'conversation' | 'binding_id'>;

/** A question whose turn is over: its answer starts the agent's next one. */
export interface Question extends Inherited {
  interaction_id: string;
  agent_id: string;
  turn_id: string;
  trace_id: string;
  kind: string;
  until: number;
  gen: number;
}

export interface RosterEntry {
  agent_id: string;
  joined_seq: number;
  st: 'IN' | 'REMOVING';
  policy: AgentPolicy;
}

/** What is left of the last turn that ended: enough for a handover that comes just after it. */
export interface LastTurn extends Inherited {
  turn_id: string;
  trace_id: string;
  target_agent_id: string;
  status: 'COMPLETED' | 'FAILED' | 'CANCELED';
  depth: number;
  collected_output: string;
  /** Its last run, and how far that was heard: a request for a handover may follow the final output (SR-D40). */
  run_id: string;
  next_sequence: number;
}

/**
 * What the speaking turn has said since its entry in `inflight` was replaced last. A chunk that continues the open
 * message changes nothing else, so that the turns, which are looked up and replaced by their ids, stay as they are.
 */
export interface Speech {
  turn_id: string;
  run_id: string;
  agent_id: string;
  message_id: string;
  last_output_at: number;
  next_sequence: number;
  next_chunk: number;
  output_bytes: number;
  collected_output: string;
}

/** The whole state of a session (SR-S): plain data, at most 160 KiB as JSON, replaced and never changed in place. */
export interface SessionContext {
  session_id: string;
  workspace_id: string;
  owner_id: string;
  epoch: number;
  state: 'CLOSED' | 'OPENING' | 'OPEN' | 'CLOSING';
  settings: SessionSettings;
  active_agent_id: string | null;
  speaking_agent_id: string | null;
  user_interruptible: boolean;
  agents_in_session: Record<string, RosterEntry>;
  inflight: Record<string, Turn>;
  /** What the speaking turn has said since it was put into `inflight` as it stands there; see `settled`. */
  speech: Speech | null;
  /** Turn ids that wait with QUEUE, in accept order. */
  queue: string[];
  transactions: Record<string, Transaction>;
  /** Questions that outlived their turns; with those of the live turn at most `limits.interactions`. */
  questions: Question[];
  last_turn: LastTurn | null;
  /** INVITE transactions that ended without their answer: a late DONE is undone once. */
  expired_invites: string[];
  /** Policies of agents that left, so that an invitation restores them; the last to leave come last. */
  departed: Record<string, AgentPolicy>;
  /** Cancelled runs of which a CANCEL_REPORT is still to come. */
  unreported: { run_id: string; agent_id: string }[];
  /** Errors of agents outside any turn, by message id: each is told once. */
  told_errors: string[];
  /** Counters: generations of timers, accepted turns, time of the last message. */
  gen: number;
  accepted: number;
  ts: number;
}

/** A session of which nothing is known yet: the state before SESSION_CREATED. */
export function emptyContext(session_id: string): SessionContext {
  return {
    session_id,
    workspace_id: '',
    owner_id: '',
    epoch: 0,
    state: 'CLOSED',
    settings: { default_agent_id: null, auto_invite: false, timeouts },
    active_agent_id: null,
    speaking_agent_id: null,
    user_interruptible: false,
    agents_in_session: {},
    inflight: {},
    speech: null,
    queue: [],
    transactions: {},
    questions: [],
    last_turn: null,
    expired_invites: [],
    departed: {},
    unreported: [],
    told_errors: [],
    gen: 0,
    accepted: 0,
    ts: 0,
  };
}

/** A context as it was saved. What a host before this one did not know yet has the value of a session without it. */
export function restoredContext(session_id: string, saved: SessionContext): SessionContext {
  const inflight: Record<string, Turn> = {};
  for (const [id, turn] of Object.entries(saved.inflight)) {
    inflight[id] = { ...turn, attempt: turn.attempt ?? (turn.run_id === null ? 0 : 1) };
    inflight[id].is_lost ??= false;
    inflight[id].context_seq ??= null;
  }
  return copyOf({ ...emptyContext(session_id), ...saved, inflight });
}

/** The same context as an object of its own. Field by field: all contexts have one shape, whatever they were made of. */
export function copyOf(context: SessionContext): SessionContext {
  return {
    session_id: context.session_id,
    workspace_id: context.workspace_id,
    owner_id: context.owner_id,
    epoch: context.epoch,
    state: context.state,
    settings: context.settings,
    active_agent_id: context.active_agent_id,
    speaking_agent_id: context.speaking_agent_id,
    user_interruptible: context.user_interruptible,
    agents_in_session: context.agents_in_session,
    inflight: context.inflight,
    speech: context.speech,
    queue: context.queue,
    transactions: context.transactions,
    questions: context.questions,
    last_turn: context.last_turn,
    expired_invites: context.expired_invites,
    departed: context.departed,
    unreported: context.unreported,
    told_errors: context.told_errors,
    gen: context.gen,
    accepted: context.accepted,
    ts: context.ts,
  };
}

/** The entry under an id from outside, if it is the record's own: `constructor` is an id like any other. */
export function own<T>(record: Readonly<Record<string, T>>, id: string | null | undefined): T | undefined {
  return typeof id === 'string' && Object.hasOwn(record, id) ? record[id] : undefined;
}

export function inherited({ conversation, binding_id }: Inherited): Inherited {
  return { conversation, binding_id };
}

/** The one turn whose run is with an agent now (SR-INV-S4), or null. */
export function dispatchedTurn(context: SessionContext): Turn | null {
  for (const id in context.inflight) {
    const turn = context.inflight[id];
    if (turn !== undefined && turn.run_id !== null) return turn;
  }
  return null;
}

export function isWaitingFor(turn: Turn, what: Waiting['for']): boolean {
  return turn.waiting.some((waiting) => waiting.for === what);
}

export function pendingTransaction(
  context: SessionContext,
  kind: Transaction['kind'],
  matches: (tx: Transaction) => boolean = () => true,
): Transaction | null {
  for (const tx of Object.values(context.transactions)) if (tx.kind === kind && matches(tx)) return tx;
  return null;
}

export function isIn(context: SessionContext, agent_id: string): boolean {
  return own(context.agents_in_session, agent_id)?.st === 'IN';
}
