import type { MessageOf } from '@rostra/protocol/session/message';
import type { AgentMember, AgentPreferences } from '@rostra/protocol/session/roster';
import type { AgentAPIError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { isIn, isWaitingFor, own, pendingTransaction, type Transaction, type Turn } from '../context.ts';
import type { Draft } from '../draft.ts';
import { switchActive } from '../roster.ts';
import { endTurn, enqueue } from '../turn.ts';
import { hasRoom, joinTx, openTx, txOf } from './transaction.ts';

/**
 * | state     | INVITE_AGENT         | ADD_AGENT_DONE                | ADD_AGENT_FAILED, T_add      |
 * | --------- | -------------------- | ----------------------------- | ---------------------------- |
 * | absent    | REQUEST_ADD_AGENT    | compensate once if given up   | –                            |
 * | REQUESTED | joins                | registered, AGENT_ADDED       | ERROR:ADD_AGENT_FAILED       |
 * | IN        | AGENT_ADDED existing | –                             | –                            |
 * | leaving   | refused              | –                             | –                            |
 */
export function onInvite(d: Draft, message: MessageOf<'CONTROL', 'INVITE_AGENT'>): void {
  const { agent_id, activate = false, preferences } = message.payload;
  if (d.context.state !== 'OPEN') {
    d.refuse({ reason: 'SESSION_NOT_OPEN', code: 'invalid_argument', message: 'this session is not open' });
    return;
  }
  const member = own(d.context.agents_in_session, agent_id);
  if (member?.st === 'IN') {
    d.event('AGENT_ADDED', { agent: { agent_id, policy: member.policy }, existing: true });
    if (activate) switchActive(d, agent_id, 'invite');
    return;
  }
  if (pendingTransaction(d.context, 'REMOVE', (tx) => tx.agent_id === agent_id) !== null) {
    d.refuse({
      reason: 'AGENT_REMOVING',
      code: 'invalid_argument',
      message: 'this agent is leaving the session',
      retryable: true,
      hint: 'Invite it again once it has left.',
    });
    return;
  }
  const pending = pendingTransaction(d.context, 'INVITE', (tx) => tx.agent_id === agent_id);
  if (pending !== null) joinTx(d, pending, { activate: pending.activate || activate });
  else if (rosterHasRoom(d) && hasRoom(d)) {
    request(d, { agent_id, activate, requested_by: message.sender.id, preferences });
  }
}

/** A mention of an absent agent where the session invites by itself: the turn waits for the agent (SR-D22). */
export function inviteFor(d: Draft, turn: Turn): void {
  d.setTurn({ ...turn, waiting: [{ for: 'ADD_AGENT', until: null, gen: d.nextGen() }] });
  const { target_agent_id } = turn;
  const pending = pendingTransaction(d.context, 'INVITE', (tx) => tx.agent_id === target_agent_id);
  if (pending === null) {
    request(d, { agent_id: target_agent_id, activate: true, requested_by: turn.requested_by, preferences: undefined });
  } else joinTx(d, pending, { activate: true });
}

export function rosterHasRoom(d: Draft): boolean {
  const coming = Object.values(d.context.transactions).filter((tx) => tx.kind === 'INVITE').length;
  if (Object.keys(d.context.agents_in_session).length + coming < limits.roster) return true;
  d.refuse({
    reason: 'ROSTER_FULL',
    code: 'invalid_argument',
    message: `a session has at most ${limits.roster} agents`,
    hint: 'Remove an agent first.',
  });
  return false;
}

interface Invitation {
  agent_id: string;
  activate: boolean;
  requested_by: string;
  preferences: AgentPreferences | undefined;
}

function request(d: Draft, { agent_id, activate, requested_by, preferences }: Invitation): void {
  const until = d.ts + d.context.settings.timeouts.add;
  const tx = openTx(d, { kind: 'INVITE', agent_id, activate, until, requested_by });
  const scope = { tx_id: tx.tx_id };
  const had = own(d.context.departed, agent_id);
  const payload = { agent_id, ...(preferences !== undefined && { preferences }), ...(had !== undefined && { had }) };
  d.control({ target: 'SYSTEM', target_id: 'session_manager' }, 'REQUEST_ADD_AGENT', payload, scope);
  d.event('ADDING_AGENT', { agent_id }, scope);
}

export function onAddDone(d: Draft, message: MessageOf<'CONTROL', 'ADD_AGENT_DONE'>): void {
  const tx = txOf(d, 'INVITE');
  const { agent_id } = message.payload;
  if (tx === null) {
    compensate(d, agent_id);
  } else if (tx.agent_id === agent_id) {
    d.dropTx(tx.tx_id);
    register(d, message.payload, tx.tx_id);
    const waiting = turnsWaitingFor(d, agent_id);
    if (d.context.active_agent_id === null || tx.activate) switchActive(d, agent_id, 'invite');
    for (const turn of waiting) enqueue(d, turn);
  }
}

function register(d: Draft, agent: AgentMember, tx_id: string): void {
  const { agent_id, policy } = agent;
  const entry = { agent_id, policy, joined_seq: d.cause.seq ?? 0, st: 'IN' as const };
  d.set({ agents_in_session: { ...d.context.agents_in_session, [agent_id]: entry } });
  d.event('AGENT_ADDED', { agent: { agent_id, policy }, existing: false }, { tx_id });
}

/** The agent came after it was given up: it is sent back once, unless it belongs here by now (SR-INV-X6). */
function compensate(d: Draft, agent_id: string): void {
  const tx_id = d.cause.tx_id;
  if (tx_id === undefined || !d.context.expired_invites.includes(tx_id)) return;
  d.set({ expired_invites: d.context.expired_invites.filter((id) => id !== tx_id) });
  const wanted = pendingTransaction(d.context, 'INVITE', (tx) => tx.agent_id === agent_id) !== null;
  if (wanted || isIn(d.context, agent_id)) return;
  const to = { target: 'SYSTEM' as const, target_id: 'session_manager' };
  const payload = { agent_id, reason: 'joined too late', attempt: 1 };
  d.control(to, 'REQUEST_REMOVE_AGENT', payload, { tx_id: `${tx_id}:undo` });
}

export function onAddFailed(d: Draft, message: MessageOf<'CONTROL', 'ADD_AGENT_FAILED'>): void {
  const tx = txOf(d, 'INVITE');
  if (tx !== null) inviteFailed(d, tx, message.payload.error);
}

export function inviteFailed(d: Draft, tx: Transaction, error: Pick<AgentAPIError, 'code' | 'message'>): void {
  d.dropTx(tx.tx_id);
  const expired = [...d.context.expired_invites, tx.tx_id];
  d.set({ expired_invites: expired.slice(-limits.expired_invites) });
  const agent_id = tx.agent_id ?? '';
  const { code, message } = error;
  d.error(
    'ADD_AGENT_FAILED',
    { reason: 'ADD_AGENT_FAILED', code, message, details: { agent_id } },
    { tx_id: tx.tx_id, ref: tx.ref },
  );
  for (const turn of turnsWaitingFor(d, agent_id)) {
    endTurn(d, turn, { status: 'FAILED', code: 'ADD_AGENT_FAILED', message });
  }
}

function turnsWaitingFor(d: Draft, agent_id: string): Turn[] {
  const turns = Object.values(d.context.inflight);
  return turns.filter((turn) => turn.target_agent_id === agent_id && isWaitingFor(turn, 'ADD_AGENT'));
}
