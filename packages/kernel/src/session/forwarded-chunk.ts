import type { SessionMessage } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import type { SessionContext, Turn } from './context.ts';
import { collect } from './turn.ts';

/**
 * The step of a chunk that continues the message being spoken: nothing but counters change, and the chunk goes out as it
 * came. There are fifty of them for every other message, so this one way through rule G is written for speed; whatever is
 * not exactly this case (null) takes the long way, with the same result.
 */
export function forwardedChunk(
  context: SessionContext,
  message: SessionMessage,
): { context: SessionContext; publish: SessionMessage[] } | null {
  if (message.event !== 'AGENT_OUTPUT' || message.subtype !== 'chunk' || message.turn_id === undefined) return null;
  const turn = context.inflight[message.turn_id];
  if (turn === undefined || !continues(context, turn, message)) return null;
  const { n, text = '', reasoning = '' } = message.payload;
  const output_bytes = turn.output_bytes + text.length + reasoning.length;
  if (turn.open_message_id !== message.payload.message_id || n !== turn.next_chunk) return null;
  if (output_bytes > limits.turn_bytes || n >= limits.turn_chunks) return null;
  const spoken = counted(turn, message.ts, output_bytes, text);
  return { context: spokenContext(context, spoken, message.ts), publish: [forwarded(context, message)] };
}

/** The next message of the run that is speaking, from the agent that it was given to. */
function continues(context: SessionContext, turn: Turn, message: SessionMessage): boolean {
  const { sender } = message;
  return (
    message.sequence === turn.next_sequence &&
    turn.run_id === message.run_id &&
    turn.run_id !== null &&
    turn.cancel === null &&
    turn.first_output_at !== null &&
    turn.target_agent_id === sender.id &&
    sender.kind === 'agent' &&
    message.epoch === context.epoch &&
    message.session_id === context.session_id
  );
}

/** Written out field by field: spreading an object of this size costs ten times as much. */
function counted(turn: Turn, ts: number, output_bytes: number, text: string): Turn {
  return {
    turn_id: turn.turn_id,
    trace_id: turn.trace_id,
    requested_by: turn.requested_by,
    target_agent_id: turn.target_agent_id,
    status: turn.status,
    waiting: turn.waiting,
    created_at: turn.created_at,
    accepted: turn.accepted,
    input_seq: turn.input_seq,
    client_run_id: turn.client_run_id,
    parent: turn.parent,
    depth: turn.depth,
    pulled: turn.pulled,
    requeued: turn.requeued,
    run_id: turn.run_id,
    gen: turn.gen,
    dispatched_at: turn.dispatched_at,
    turn_until: turn.turn_until,
    paused_at: turn.paused_at,
    last_output_at: ts,
    first_output_at: turn.first_output_at,
    next_sequence: turn.next_sequence + 1,
    next_chunk: turn.next_chunk + 1,
    output_bytes,
    open_message_id: turn.open_message_id,
    open_calls: turn.open_calls,
    collected_output: collect(turn.collected_output, text),
    cancel: turn.cancel,
  };
}

function spokenContext(context: SessionContext, turn: Turn, ts: number): SessionContext {
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
    inflight: replaced(context.inflight, turn),
    queue: context.queue,
    transactions: context.transactions,
    last_turn: context.last_turn,
    expired_invites: context.expired_invites,
    gen: context.gen,
    accepted: context.accepted,
    ts,
  };
}

/** Mostly the speaking turn is the only live one, and nothing needs to be copied. */
function replaced(inflight: SessionContext['inflight'], turn: Turn): SessionContext['inflight'] {
  for (const id in inflight) if (id !== turn.turn_id) return { ...inflight, [turn.turn_id]: turn };
  return { [turn.turn_id]: turn };
}

function forwarded(context: SessionContext, message: SessionMessage): SessionMessage {
  return { ...message, sender: { kind: 'session', id: context.session_id }, target: 'FRONTEND' };
}
