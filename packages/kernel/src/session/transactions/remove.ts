import type { MessageOf } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import { dispatchedTurn, own, pendingTransaction, type RosterEntry, type Transaction } from '../context.ts';
import type { Draft } from '../draft.ts';
import { closeQuestions } from '../question.ts';
import { abortHandover, fallback, switchActive } from '../roster.ts';
import { endTurn } from '../turn.ts';
import { startCancel } from './cancel.ts';
import { hasRoom, joinTx, openTx, txOf } from './transaction.ts';

/**
 * | state     | REMOVE_AGENT                        | turn ended        | DONE          | FAILED                   |
 * | --------- | ----------------------------------- | ----------------- | ------------- | ------------------------ |
 * | IN        | REMOVING; its turns are stopped     | –                 | –             | –                        |
 * | STOPPING  | joins                               | unbind, REQUEST   | –             | –                        |
 * | REQUESTED | joins                               | –                 | AGENT_REMOVED | again, at most 3 in all  |
 */
export function onRemove(d: Draft, message: MessageOf<'CONTROL', 'REMOVE_AGENT'>): void {
  const { agent_id, reason = 'user' } = message.payload;
  if (d.context.state !== 'OPEN') {
    d.refuse({ reason: 'SESSION_NOT_OPEN', code: 'invalid_argument', message: 'this session is not open' });
    return;
  }
  const pending = pendingTransaction(d.context, 'REMOVE', (tx) => tx.agent_id === agent_id);
  if (pending !== null) {
    joinTx(d, pending);
    return;
  }
  const entry = own(d.context.agents_in_session, agent_id);
  if (entry === undefined) {
    d.refuse({ reason: 'AGENT_NOT_FOUND', code: 'not_found', message: 'this agent is not in the session' });
    return;
  }
  if (!hasRoom(d)) return;
  const { cancel, remove } = d.context.settings.timeouts;
  const until = d.ts + cancel + remove;
  const tx = openTx(d, { kind: 'REMOVE', step: 'STOPPING', agent_id, until, reason, requested_by: message.sender.id });
  const members = { ...d.context.agents_in_session, [agent_id]: { ...entry, st: 'REMOVING' as const } };
  d.set({ agents_in_session: members });
  d.event('AGENT_REMOVING', { agent_id, attempt: 1 }, { tx_id: tx.tx_id });
  abortHandover(d, agent_id);
  closeQuestions(d, agent_id);
  if (d.context.active_agent_id === agent_id) switchActive(d, fallback(d.context), 'fallback');
  stopTurnsOf(d, agent_id, message.sender.id);
}

/** Its running turn is cancelled, whatever the agent's policy says; what waited for it will never be answered (SR-D34). */
function stopTurnsOf(d: Draft, agent_id: string, requested_by: string): void {
  for (const turn of Object.values(d.context.inflight)) {
    if (turn.target_agent_id !== agent_id || turn.run_id !== null || turn.pulled) continue;
    endTurn(d, turn, { status: 'FAILED', code: 'AGENT_REMOVED', message: 'the agent was removed from the session' });
  }
  const running = dispatchedTurn(d.context);
  if (running?.target_agent_id === agent_id) startCancel(d, running, 'agent removed', requested_by);
}

/** Once nothing of the agent runs, it is unbound here and the SessionManager is asked to keep what it had. */
export function continueRemovals(d: Draft): void {
  for (const tx of Object.values(d.context.transactions)) {
    if (tx.kind !== 'REMOVE' || tx.step !== 'STOPPING' || tx.agent_id === null) continue;
    const live = Object.values(d.context.inflight).some((turn) => turn.target_agent_id === tx.agent_id);
    if (live) continue;
    unbind(d, tx);
    d.setTx({ ...tx, step: 'REQUESTED', until: d.ts + d.context.settings.timeouts.remove, gen: d.nextGen() });
    request(d, tx.tx_id, tx.agent_id, tx.reason, 1);
  }
}

function unbind(d: Draft, tx: Transaction): void {
  const agent_id = tx.agent_id ?? '';
  if (own(d.context.agents_in_session, agent_id) === undefined) return;
  const { [agent_id]: gone, ...rest } = d.context.agents_in_session;
  d.set({ agents_in_session: rest });
  if (gone !== undefined) keepPolicy(d, gone);
  d.event('AGENT_REMOVED_LOCAL', { agent_id }, { tx_id: tx.tx_id });
}

/** What the agent had here, for the day it is invited again. */
function keepPolicy(d: Draft, { agent_id, policy }: RosterEntry): void {
  const { [agent_id]: _before, ...others } = d.context.departed;
  const kept = [...Object.entries(others), [agent_id, policy] as const].slice(-limits.roster);
  d.set({ departed: Object.fromEntries(kept) });
}

function request(d: Draft, tx_id: string, agent_id: string, reason: string, attempt: number): void {
  const to = { target: 'SYSTEM' as const, target_id: 'session_manager' };
  d.control(to, 'REQUEST_REMOVE_AGENT', { agent_id, reason, attempt }, { tx_id });
}

export function onRemoveDone(d: Draft, message: MessageOf<'CONTROL', 'REMOVE_AGENT_DONE'>): void {
  const tx = txOf(d, 'REMOVE');
  if (tx?.step !== 'REQUESTED' || tx.attempt < message.payload.attempt) return;
  d.dropTx(tx.tx_id);
  d.event('AGENT_REMOVED', { agent_id: tx.agent_id ?? '' }, { tx_id: tx.tx_id });
}

/** Never rolled back: an agent whose removal failed stays out, and an invitation brings it back (SR-D36). */
export function onRemoveFailed(d: Draft, message: MessageOf<'CONTROL', 'REMOVE_AGENT_FAILED'>): void {
  const tx = txOf(d, 'REMOVE');
  if (tx?.step !== 'REQUESTED' || tx.agent_id === null || tx.attempt !== message.payload.attempt) return;
  if (tx.attempt >= limits.remove_attempts) {
    removeFailed(d, tx, message.payload.error.message);
    return;
  }
  const attempt = tx.attempt + 1;
  d.setTx({ ...tx, attempt });
  d.event('AGENT_REMOVING', { agent_id: tx.agent_id, attempt }, { tx_id: tx.tx_id });
  request(d, tx.tx_id, tx.agent_id, tx.reason, attempt);
}

export function removeFailed(d: Draft, tx: Transaction, message: string): void {
  unbind(d, tx);
  d.dropTx(tx.tx_id);
  d.error(
    'REMOVE_AGENT_FAILED',
    {
      reason: 'REMOVE_AGENT_FAILED',
      code: 'runtime_error',
      message,
      details: { agent_id: tx.agent_id },
      hint: 'The agent is out of the session all the same; invite it to bring it back.',
    },
    { tx_id: tx.tx_id, ref: tx.ref },
  );
}
