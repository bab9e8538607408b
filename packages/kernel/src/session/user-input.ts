import { messageReceived } from '@rostra/protocol/session/event-name';
import type { MessageOf } from '@rostra/protocol/session/message';
import type { QueuePolicy } from '@rostra/protocol/session/roster';
import { limits } from '@rostra/protocol/wire/limits';
import {
  dispatchedTurn,
  type Inherited,
  isIn,
  isWaitingFor,
  own,
  pendingTransaction,
  type SessionContext,
  type Turn,
} from './context.ts';
import type { Draft } from './draft.ts';
import { switchActive } from './roster.ts';
import { startCancel } from './transactions/cancel.ts';
import { inviteFor, rosterHasRoom } from './transactions/invite.ts';
import { hasRoom } from './transactions/transaction.ts';
import { dispatch, enqueue, newTurn, queueLength } from './turn.ts';

type UserInput = MessageOf<'USER_INPUT', 'INPUT'> | MessageOf<'USER_INPUT', 'MENTION'>;
type Placement = 'dispatched' | 'queued' | 'steering' | 'adding_agent';

/** Rules A and B: exactly one of TURN_ACCEPTED and ERROR answers an input (SR-INV-T1). */
export function onUserInput(d: Draft, message: UserInput): void {
  if (!isOpenForInput(d)) return;
  const target = chooseAgent(d, message);
  if (target === null) return;
  const placement = place(d, target, message);
  if (placement === null) return;
  const turn = turnOf(d, message, target, placement);
  const { parent, client_run_id } = turn;
  d.setTurn(turn);
  d.event('TURN_ACCEPTED', { agent_id: target, state: placement, parent_turn_id: parent, client_run_id }, { turn });
  if (placement === 'adding_agent') inviteFor(d, turn);
  const isMention = message.payload.mentioned_agent_id !== undefined;
  if (isIn(d.context, target)) switchActive(d, target, isMention ? 'mention' : 'default');
  else if (isMention) becomesActiveOnceOpen(d, target);
  if (placement === 'dispatched') dispatch(d, turn);
  if (placement === 'queued') enqueue(d, turn);
  if (placement === 'queued' && policyOf(d.context, target) === 'replace') {
    const running = dispatchedTurn(d.context);
    if (running !== null && d.context.user_interruptible) startCancel(d, running, 'replaced', message.sender.id);
  }
}

/** Nobody is in the session while it opens: the transaction remembers who was mentioned (SR-D25). */
function becomesActiveOnceOpen(d: Draft, agent_id: string): void {
  const open = pendingTransaction(d.context, 'OPEN');
  if (open !== null) d.setTx({ ...open, agent_id, activate: true });
}

function isOpenForInput(d: Draft): boolean {
  const turn_id = d.cause.turn_id ?? d.cause.id;
  if (own(d.context.inflight, turn_id) !== undefined) {
    d.refuse({ reason: 'CONFLICT', code: 'invalid_argument', message: 'this turn id is in use' });
    return false;
  }
  if (d.context.state === 'OPEN' || d.context.state === 'OPENING') return true;
  const closing = d.context.state === 'CLOSING';
  d.refuse({
    reason: closing ? 'SESSION_CLOSING' : 'SESSION_NOT_OPEN',
    code: 'invalid_argument',
    message: closing ? 'this session is closing' : 'this session is closed',
    hint: 'Open the session again, or use a new thread.',
  });
  return false;
}

/** A mention goes to that agent or is refused (SR-INV-A6); anything else goes to the active agent. */
function chooseAgent(d: Draft, message: UserInput): string | null {
  const mention = message.payload.mentioned_agent_id;
  const { context } = d;
  if (!isMentionClear(d, message)) return null;
  const open = pendingTransaction(context, 'OPEN');
  if (context.state === 'OPENING' && open !== null) {
    const expected = mention ?? open.agent_id ?? open.agents?.[0] ?? context.settings.default_agent_id;
    if (expected !== null) return expected;
  } else if (mention !== undefined) {
    return mentioned(d, mention);
  }
  const agent = context.active_agent_id ?? context.settings.default_agent_id;
  if (agent !== null && isIn(context, agent)) return agent;
  d.refuse({
    reason: 'NO_AGENT',
    code: 'invalid_argument',
    message: 'no agent is active in this session',
    hint: 'Invite an agent, or mention one that is in the session.',
  });
  return null;
}

/** Metadata may mark or name the mention too, but not otherwise than the payload does (SR-D21). */
function isMentionClear(d: Draft, { subtype, payload, metadata = {} }: UserInput): boolean {
  const mention = payload.mentioned_agent_id;
  const isMention = subtype === 'MENTION' || metadata.subtype === 'MENTION';
  const named = metadata.mentioned_agent_id ?? mention;
  if (named === mention && (mention !== undefined || !isMention)) return true;
  d.refuse({
    reason: 'INVALID_MENTION',
    code: 'invalid_argument',
    message: mention === undefined ? 'a mention must name an agent' : 'payload and metadata name different agents',
  });
  return false;
}

function mentioned(d: Draft, agent_id: string): string | null {
  const entry = own(d.context.agents_in_session, agent_id);
  if (entry?.st === 'IN') return agent_id;
  const isPending = (kind: 'INVITE' | 'REMOVE') =>
    pendingTransaction(d.context, kind, (tx) => tx.agent_id === agent_id) !== null;
  const leaving = isPending('REMOVE');
  if (d.context.settings.auto_invite && isPending('INVITE')) return agent_id;
  if (!leaving && d.context.settings.auto_invite) return hasRoom(d) && rosterHasRoom(d) ? agent_id : null;
  d.refuse({
    reason: leaving ? 'AGENT_REMOVING' : 'AGENT_NOT_FOUND',
    code: leaving ? 'invalid_argument' : 'not_found',
    message: leaving ? 'this agent is leaving the session' : 'this agent is not in the session',
    details: { agents: Object.keys(d.context.agents_in_session) },
    hint: 'Choose one of the agents in the session, or invite it first.',
  });
  return null;
}

function policyOf(context: SessionContext, agent_id: string): QueuePolicy {
  return own(context.agents_in_session, agent_id)?.policy.queue ?? 'enqueue';
}

/** Where the new turn goes: to its agent, beside the running turn, into the queue, or nowhere (null, refused). */
function place(d: Draft, target: string, message: UserInput): Placement | null {
  const { context } = d;
  if (context.state === 'OPEN' && !isIn(context, target)) return queueHasRoom(d) ? 'adding_agent' : null;
  const running = dispatchedTurn(context);
  const handing = pendingTransaction(context, 'HANDOVER', (tx) => tx.step === 'STOPPING') !== null;
  if (context.state === 'OPEN' && running === null && context.queue.length === 0 && !handing) return 'dispatched';
  if (running !== null && steers(context, running, target, message)) return 'steering';
  if (context.state === 'OPEN' && policyOf(context, target) === 'reject') {
    d.refuse({
      reason: 'BUSY',
      code: 'invalid_argument',
      message: 'another turn is running and this agent takes one at a time',
      retryable: true,
      hint: 'Wait for the running turn, or cancel it.',
    });
    return null;
  }
  return queueHasRoom(d) ? 'queued' : null;
}

export function queueHasRoom(d: Draft): boolean {
  const adding = Object.values(d.context.inflight).filter((turn) => isWaitingFor(turn, 'ADD_AGENT')).length;
  if (queueLength(d.context) + adding < limits.queue) return true;
  d.refuse({
    reason: 'QUEUE_FULL',
    code: 'rate_limited',
    message: `${limits.queue} inputs are already waiting in this session`,
    retryable: true,
    hint: 'Wait for some of them to be answered.',
  });
  return false;
}

/** Whether an input joins the running turn instead of waiting for its end (SR-D48). */
function steers(context: SessionContext, running: Turn, target: string, message: UserInput): boolean {
  if (running.target_agent_id !== target || running.cancel !== null) return false;
  if (!isSaid(message) || !isSamePlace(running, originOf(message))) return false;
  if (own(context.agents_in_session, target)?.policy.steering !== true) return false;
  const steering = Object.values(context.inflight).filter((turn) => isWaitingFor(turn, 'STEERING'));
  return steering.length < limits.steering;
}

/** A person's words, as opposed to an event of which a running agent would only get the empty input. */
function isSaid({ payload: { event } }: UserInput): boolean {
  return event === undefined || event.event_type === messageReceived;
}

function originOf({ payload: { event } }: UserInput): Inherited {
  const { bot_id = null, thread_id = null } = event?.conversation ?? {};
  const conversation = bot_id === null && thread_id === null ? undefined : { bot_id, thread_id };
  return { conversation, binding_id: event?.binding_id };
}

/** What another binding let in must not be done with the rights of this one. */
function isSamePlace(one: Inherited, other: Inherited): boolean {
  const [here, there] = [one.conversation, other.conversation];
  return here?.bot_id === there?.bot_id && here?.thread_id === there?.thread_id && one.binding_id === other.binding_id;
}

function turnOf(d: Draft, message: UserInput, target: string, placement: Placement): Turn {
  const turn_id = message.turn_id ?? message.id;
  const running = placement === 'steering' ? dispatchedTurn(d.context) : null;
  if (message.seq === undefined) throw new Error('an input without a place in the log');
  return newTurn(d, {
    turn_id,
    trace_id: message.trace_id ?? turn_id,
    requested_by: message.sender.id,
    target_agent_id: target,
    waiting: running === null ? [] : [{ for: 'STEERING', until: null, gen: d.nextGen() }],
    ...originOf(message),
    input_seq: message.seq,
    client_run_id: message.payload.client_run_id ?? null,
    parent: running?.turn_id ?? null,
    depth: 0,
  });
}
