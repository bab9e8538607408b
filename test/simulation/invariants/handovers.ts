/** X5, X6, X7: handing over and inviting. */

import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Invariant, Say, Step } from './invariant.ts';
import { terminalOf } from './observation.ts';

type Context = Extract<SessionMessage, { subtype: 'HANDOVER_CONTEXT' }>;

/** A handover that is still pending must still make sense. */
function checkPending({ before, after, ledger }: Step, say: Say): void {
  if (ledger.book.pending.size === 0) return;
  const pending = [...ledger.book.pending.values()].filter((tx) => tx.kind === 'HANDOVER');
  if (pending.length > 1) say.broken(`${pending.length} handovers are pending`);
  for (const tx of pending) {
    if (before.transactions[tx.id] === undefined) continue;
    const bound = (id: string | null) => ledger.members.get(id ?? '')?.removing === false;
    if (!bound(tx.agent) || !bound(tx.from)) say.broken(`${tx.id} outlives one of its agents`);
    if (before.active_agent_id !== after.active_agent_id) say.broken(`${tx.id} outlives a switch`);
    if (after.state !== 'OPEN') say.broken(`${tx.id} outlives the session`);
  }
}

/** CONFIRM, then A's turn ends, then SWITCH, then the context goes to B, who has a live turn. */
function checkOrder(step: Step, context: Context, say: Say): void {
  const { ledger, publish, before } = step;
  const tx = ledger.book.all.get(context.tx_id ?? '');
  if (tx?.kind !== 'HANDOVER') {
    say.broken('a handover context without a handover');
    return;
  }
  say.met();
  if (tx.prompt === null || tx.confirm === null || tx.confirm < tx.prompt) say.broken(`${tx.id} was not confirmed`);
  const place = publish.indexOf(context);
  const source = ledger.turns.get(tx.turn_id ?? '');
  const ending = publish.findIndex((out) => terminalOf(out) !== null && out.turn_id === tx.turn_id);
  const switched = publish.findIndex((out) => out.subtype === 'SWITCH_AGENT');
  if (!source?.end) say.broken(`${tx.id} went on while ${tx.turn_id} lived`);
  if (before.active_agent_id !== tx.agent && (switched < 0 || switched > place || switched < ending)) {
    say.broken(`${tx.id}: the switch is not between the end of ${tx.turn_id} and the context`);
  }
  const turn = ledger.live.get(context.turn_id ?? '');
  if (turn?.agent !== context.target_id || turn?.agent !== tx.agent) say.broken(`${tx.id}: nobody takes over`);
}

export const handoverInvariants: readonly Invariant[] = [
  {
    id: 'X5',
    parts: ['aborted'],
    settle(step, say) {
      checkPending(step, say);
      const { ledger, publish, before, after } = step;
      for (const out of publish) {
        if (out.event !== 'CONTROL' || out.subtype !== 'HANDOVER_RESOLVED') continue;
        say.met();
        if (out.payload.outcome === 'aborted') say.met('aborted');
        const tx = ledger.book.all.get(out.tx_id ?? '');
        if (tx?.resolved !== 1) say.broken(`${out.tx_id} was resolved ${tx?.resolved} times`);
        if (tx?.ended !== true) say.broken(`${out.tx_id} was resolved and is pending`);
      }
      for (const id in before.transactions) {
        const tx = before.transactions[id];
        if (tx?.kind !== 'HANDOVER' || after.transactions[tx.tx_id] !== undefined) continue;
        if (ledger.book.all.get(tx.tx_id)?.resolved !== 1) say.broken(`${tx.tx_id} ended and was not resolved`);
      }
    },
  },
  {
    id: 'X6',
    parts: ['late'],
    check({ ledger, message, publish, before }, say) {
      if (message.event !== 'CONTROL' || message.subtype !== 'ADD_AGENT_DONE') return;
      const { agent_id } = message.payload;
      const tx = ledger.book.all.get(message.tx_id ?? '');
      const added = publish.filter((out) => out.event === 'EVENT' && out.subtype === 'AGENT_ADDED').length;
      const undo = publish.filter((out) => out.subtype === 'REQUEST_REMOVE_AGENT').length;
      if (tx !== undefined && !tx.ended) {
        say.met();
        if (added !== 1 || undo !== 0) say.broken(`${agent_id} came in time: added ${added}, sent back ${undo}`);
        return;
      }
      if (added > 0) say.broken(`${agent_id} was registered though nobody waits for it`);
      if (undo > 0) say.met('late');
      if (undo + (tx?.undone ?? 0) > 1) say.broken(`${agent_id} was sent back twice`);
      const member = ledger.members.get(agent_id);
      const wanted = Object.values(before.transactions).some((t) => t.kind === 'INVITE' && t.agent_id === agent_id);
      if (undo > 0 && (member?.removing === false || wanted)) say.broken(`${agent_id} belongs here and was sent back`);
    },
    ignored({ ledger, message, before }, say) {
      if (message.event !== 'CONTROL' || message.subtype !== 'ADD_AGENT_DONE') return;
      if (message.sender.kind !== 'session_manager' || message.epoch !== before.epoch) return;
      const tx = ledger.book.all.get(message.tx_id ?? '');
      if (tx?.kind !== 'INVITE' || !tx.failed || tx.undone > 0 || tx.added > 0) return;
      if (ledger.taken.has(message.id)) return;
      const { agent_id } = message.payload;
      say.broken(`${agent_id} came too late and was not sent back`);
    },
  },
  {
    id: 'X7',
    settle(step, say) {
      for (const out of step.publish) {
        if (out.event !== 'CONTROL' || out.subtype !== 'HANDOVER_CONTEXT') continue;
        if (out.payload.resume === undefined) checkOrder(step, out, say);
      }
      for (const out of step.publish) {
        if (out.event !== 'CONTROL' || out.subtype !== 'SWITCH_AGENT' || out.target !== 'BROADCAST') continue;
        if (out.payload.reason !== 'handover') continue;
        const contexts = step.publish.filter((each) => each.subtype === 'HANDOVER_CONTEXT').length;
        if (contexts !== 1) say.broken(`a handover switched and sent ${contexts} contexts`);
      }
    },
  },
];
