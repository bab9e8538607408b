import type { PayloadOf } from '@rostra/protocol/session/message';
import { own, pendingTransaction, type RosterEntry, type SessionContext, type Transaction } from './context.ts';
import type { Draft } from './draft.ts';

type Outcome = PayloadOf<'CONTROL', 'HANDOVER_RESOLVED'>['outcome'];
type SwitchReason = NonNullable<PayloadOf<'CONTROL', 'SWITCH_AGENT'>['reason']>;

/** Whom unmentioned input goes to when the active agent is gone: the default one, else the eldest (SR-INV-A5). */
export function fallback(context: SessionContext): string | null {
  const members = Object.values(context.agents_in_session).filter((agent) => agent.st === 'IN');
  const { default_agent_id } = context.settings;
  if (members.some((agent) => agent.agent_id === default_agent_id)) return default_agent_id;
  const byAge = (a: RosterEntry, b: RosterEntry) => a.joined_seq - b.joined_seq;
  return members.sort(byAge)[0]?.agent_id ?? null;
}

/**
 * The only place where the active agent changes: the context and one SWITCH_AGENT, to everybody and with the same id to
 * frontends (SR-INV-A3). A handover that waits is void then, unless it is the one that switches (SR-INV-X5).
 */
export function switchActive(d: Draft, to: string | null, reason: SwitchReason): void {
  const from = d.context.active_agent_id;
  if (from === to) return;
  if (reason !== 'handover') abortHandover(d);
  d.set({ active_agent_id: to });
  const payload = { from, to, reason, trigger: d.cause.id };
  const id = `${d.cause.id}/switch`;
  d.control({ target: 'BROADCAST', id }, 'SWITCH_AGENT', payload);
  d.control({ target: 'FRONTEND', id }, 'SWITCH_AGENT', payload);
  d.event('ACTIVE_AGENT_CHANGED', { from, to });
}

export function abortHandover(d: Draft, involves?: string): void {
  const concerned = (tx: Transaction) =>
    involves === undefined || tx.agent_id === involves || tx.handover?.from_agent_id === involves;
  const tx = pendingTransaction(d.context, 'HANDOVER', concerned);
  if (tx !== null) resolveHandover(d, tx, 'aborted');
}

/** Ends a handover: the prompt is withdrawn everywhere, and whoever asked learns that it will not happen. */
export function resolveHandover(d: Draft, tx: Transaction, outcome: Outcome): void {
  const { handover, agent_id } = tx;
  if (handover === null || agent_id === null) throw new Error(`${tx.tx_id} is no handover`);
  d.dropTx(tx.tx_id);
  const scope = { tx_id: tx.tx_id };
  const { from_agent_id } = handover;
  if (outcome !== 'confirmed') {
    const { turn_id, tx_id } = tx;
    rejectHandover(d, { from_agent_id, target_agent_id: agent_id, reason: outcome, turn_id, tx_id });
  }
  const payload = { outcome, from_agent_id, target_agent_id: agent_id, answered_by: answeredBy(d, tx, outcome) };
  d.control({ target: 'FRONTEND' }, 'HANDOVER_RESOLVED', payload, scope);
}

/** Who confirmed is kept with the transaction; who rejects does so now. */
function answeredBy(d: Draft, tx: Transaction, outcome: Outcome): string | null {
  if (outcome === 'confirmed') return tx.requested_by;
  return outcome === 'rejected' ? d.cause.sender.id : null;
}

interface Rejection {
  from_agent_id: string;
  target_agent_id: string;
  reason: string;
  turn_id: string | null;
  tx_id?: string;
}

/** Tells the agent that asked; within its turn if that still lives. */
export function rejectHandover(d: Draft, rejection: Rejection): void {
  const { from_agent_id, target_agent_id, reason, turn_id, tx_id } = rejection;
  const turn = own(d.context.inflight, turn_id);
  const run = turn?.run_id ? { run_id: turn.run_id } : {};
  const scope = { ...(turn && { turn }), ...(tx_id !== undefined && { tx_id }) };
  const to = { target: 'AGENT' as const, target_id: from_agent_id, ...run };
  d.control(to, 'HANDOVER_REJECTED', { target_agent_id, reason }, scope);
}
