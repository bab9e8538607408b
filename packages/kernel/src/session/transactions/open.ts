import type { MessageOf } from '@rostra/protocol/session/message';
import type { AgentAPIError } from '@rostra/protocol/wire/api-error';
import { isIn, pendingTransaction, type RosterEntry, type Transaction } from '../context.ts';
import type { Draft } from '../draft.ts';
import { fallback, switchActive } from '../roster.ts';
import { endTurn } from '../turn.ts';
import { joinTx, openTx, txOf } from './transaction.ts';

/**
 * | session | SESSION_OPEN                    | SESSION_OPENED      | SESSION_FAILED, T_open          |
 * | ------- | ------------------------------- | ------------------- | ------------------------------- |
 * | CLOSED  | OPENING, REQUEST_SESSION_OPEN   | –                   | –                               |
 * | OPENING | joins                           | OPEN, queue goes on | CLOSED, what waits is FAILED    |
 * | OPEN    | SESSION_OPENED existing         | –                   | –                               |
 * | CLOSING | refused                         | –                   | –                               |
 */
export function onOpen(d: Draft, message: MessageOf<'CONTROL', 'SESSION_OPEN'>): void {
  const { state } = d.context;
  if (state === 'CLOSING') {
    d.refuse({
      reason: 'SESSION_CLOSING',
      code: 'invalid_argument',
      message: 'this session is closing',
      retryable: true,
      hint: 'Open it again once it has closed.',
    });
  } else if (state === 'OPEN') {
    const agents = Object.values(d.context.agents_in_session).map(({ agent_id, policy }) => ({ agent_id, policy }));
    d.event('SESSION_OPENED', { agents, active_agent_id: d.context.active_agent_id, existing: true });
  } else if (state === 'OPENING') {
    const pending = pendingTransaction(d.context, 'OPEN');
    if (pending !== null) joinTx(d, pending);
  } else {
    request(d, message);
  }
}

function request(d: Draft, message: MessageOf<'CONTROL', 'SESSION_OPEN'>): void {
  const agents = message.payload.agents ?? null;
  const agent_id = message.payload.active_agent_id ?? null;
  const until = d.ts + d.context.settings.timeouts.open;
  const tx = openTx(d, { kind: 'OPEN', agents, agent_id, until, requested_by: message.sender.id });
  d.set({ state: 'OPENING' });
  const to = { target: 'SYSTEM' as const, target_id: 'session_manager' };
  d.control(to, 'REQUEST_SESSION_OPEN', { agents, active_agent_id: agent_id }, { tx_id: tx.tx_id });
}

export function onOpened(d: Draft, message: MessageOf<'CONTROL', 'SESSION_OPENED'>): void {
  const tx = txOf(d, 'OPEN');
  if (tx === null) return;
  const { agents, active_agent_id } = message.payload;
  // Fractions keep the order in which the SessionManager named them within one record.
  const joined = (index: number) => (d.cause.seq ?? 0) + index / agents.length;
  const roster = agents.map(({ agent_id, policy }, index): [string, RosterEntry] => [
    agent_id,
    { agent_id, policy, joined_seq: joined(index), st: 'IN' },
  ]);
  d.dropTx(tx.tx_id);
  d.set({ state: 'OPEN', agents_in_session: Object.fromEntries(roster) });
  // Whoever was mentioned while the session opened is the active one, as after any mention (SR-D25).
  const wishes = [tx.activate ? tx.agent_id : null, active_agent_id];
  const active = wishes.find((wish) => wish !== null && isIn(d.context, wish)) ?? fallback(d.context);
  d.event('SESSION_OPENED', { agents, active_agent_id: active, existing: false }, { tx_id: tx.tx_id });
  switchActive(d, active, 'open');
}

export function openFailed(d: Draft, tx: Transaction, error: Pick<AgentAPIError, 'code' | 'message'>): void {
  d.dropTx(tx.tx_id);
  d.set({ state: 'CLOSED' });
  const { code, message } = error;
  const { ref } = tx;
  d.error('SESSION_FAILED', { reason: 'SESSION_FAILED', code, message }, { tx_id: tx.tx_id, ref });
  for (const turn of Object.values(d.context.inflight)) {
    endTurn(d, turn, { status: 'FAILED', code: 'SESSION_FAILED', message, retryable: true });
  }
}
