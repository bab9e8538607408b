/** H: opening and closing. C2: taking over. R1: how a run ended. */

import { deadlines } from '@rostra/kernel/session/deadlines';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import type { Invariant, Say, Step } from './invariant.ts';
import { terminalOf } from './observation.ts';

/** Each request is answered at once, or belongs to a transaction that will answer it. */
function checkAnswered({ message, publish, after }: Step, say: Say): void {
  const pending = Object.values(after.transactions).some((tx) => tx.ref === message.id);
  const answers = publish.filter((out) => {
    if (out.event === 'EVENT') return out.subtype === 'SESSION_OPENED' || out.subtype === 'SESSION_CLOSED';
    return out.event === 'ERROR' && out.subtype === 'REFUSED' && out.payload.ref === message.id;
  }).length;
  if (answers + (pending ? 1 : 0) !== 1) say.broken(`${message.subtype} has ${answers} answers, pending: ${pending}`);
}

/** A turn goes on after its owner exactly when its agent can, its tools have all answered and it has tries left. */
function checkGoingOn({ before, publish, ledger }: Pick<Step, 'before' | 'publish' | 'ledger'>, say: Say): void {
  const was = Object.values(before.inflight).find((turn) => turn.run_id !== null);
  if (was === undefined || was.cancel !== null || was.is_lost) return;
  const facts = ledger.turns.get(was.turn_id);
  const member = before.agents_in_session[was.target_agent_id];
  const tries = facts === undefined || facts.attempts - (publish.some(isResumed) ? 1 : 0) < limits.turn_attempts;
  const can = member?.st === 'IN' && member.policy.resumable && facts?.calls === 0 && tries;
  const ended = publish.some((out) => terminalOf(out) !== null && out.turn_id === was.turn_id);
  if (can === ended) say.broken(`${was.turn_id} ${can ? 'could have gone on' : 'went on and could not'}`);
}

function isResumed(out: SessionMessage): boolean {
  return out.subtype === 'TURN_RESUMED';
}

function isBegun(out: SessionMessage, turn_id: string): boolean {
  return out.turn_id === turn_id && (out.subtype === 'TURN_DISPATCHED' || out.subtype === 'TURN_RESUMED');
}

export const lifecycleInvariants: readonly Invariant[] = [
  {
    id: 'H1',
    settle({ ledger, after }, say) {
      if (after.state !== 'CLOSED') return;
      if (ledger.wasOpen) say.met();
      if (ledger.live.size > 0) say.broken(`closed with ${ledger.live.size} live turns`);
      if (ledger.book.pending.size > 0) say.broken('closed with pending transactions');
      if (deadlines(after).length > 0) say.broken('closed with armed timers');
      if (after.speaking_agent_id !== null) say.broken('closed while somebody speaks');
      if (Object.keys(after.inflight).length + after.queue.length > 0) say.broken('closed with turns in flight');
    },
  },
  {
    id: 'H2',
    check({ ledger, message, publish, before, after }, say) {
      if (!ledger.closing) return;
      if (message.event === 'USER_INPUT') say.met();
      if (before.state !== 'CLOSING') say.broken('a close was accepted and forgotten');
      const accepted = publish.some((out) => out.event === 'EVENT' && out.subtype === 'TURN_ACCEPTED');
      if (accepted && after.state === 'CLOSING') say.broken('a turn was accepted while closing');
    },
  },
  {
    id: 'H3',
    settle({ ledger, publish }, say) {
      for (const out of publish) {
        if (out.event !== 'CONTROL' || out.subtype !== 'REQUEST_SESSION_CLOSE') continue;
        say.met();
        if (ledger.live.size > 0) say.broken(`asked to close with ${ledger.live.size} live turns`);
      }
    },
  },
  {
    id: 'H4',
    check(step, say) {
      const { message, ledger } = step;
      if (message.event !== 'CONTROL' || message.sender.kind !== 'user') return;
      if (message.subtype !== 'SESSION_OPEN' && message.subtype !== 'SESSION_CLOSE') return;
      say.met();
      const joined = [...ledger.book.pending.values()].some((tx) => tx.kind === 'OPEN' || tx.kind === 'CLOSE');
      if (!joined) checkAnswered(step, say);
    },
    settle({ ledger, before, after }, say) {
      for (const id in before.transactions) {
        const kind = before.transactions[id]?.kind;
        if (after.transactions[id] !== undefined || (kind !== 'OPEN' && kind !== 'CLOSE')) continue;
        const answers = ledger.book.all.get(id)?.answers;
        if (answers !== 1) say.broken(`${id} ended with ${answers} answers`);
      }
    },
  },
  {
    id: 'C2',
    parts: ['resumed', 'waiting'],
    check({ ledger, message, before }, say) {
      // The first that a new owner hears is that it is one.
      if (message.epoch === ledger.epoch || ledger.epoch === 0 || message.sender.kind === 'user') return;
      if (message.event === 'CONTROL' && message.subtype === 'SESSION_RECOVERED') return;
      if (before.epoch !== ledger.epoch) say.broken(`${message.id} was heard before the take-over`);
    },
    settle({ ledger, message, publish, before, after }, say) {
      if (message.event !== 'CONTROL' || message.subtype !== 'SESSION_RECOVERED') return;
      if (publish.some((out) => terminalOf(out) !== null)) say.met();
      checkGoingOn({ before, publish, ledger }, say);
      const running = ledger.dispatched();
      if (running === null || publish.some((out) => isBegun(out, running.id))) {
        if (publish.some((out) => out.subtype === 'TURN_RESUMED')) say.met('resumed');
        return;
      }
      const was = before.inflight[running.id];
      const now = after.inflight[running.id];
      if (now?.is_lost && was !== undefined && (was.is_lost || was.run_id !== now.run_id)) say.met('waiting');
      else say.broken(`${running.id} outlives the owner that dispatched it`);
    },
  },
  {
    id: 'R1',
    parts: ['completed', 'canceled', 'failed'],
    check({ ledger, message, publish, before }, say) {
      const ended = new Set<string>();
      for (const out of publish) {
        const status = terminalOf(out);
        if (status === null || out.event !== 'EVENT') continue;
        say.met();
        const id = out.turn_id ?? '';
        const turn = ledger.turns.get(id);
        const final = message.event === 'AGENT_OUTPUT' && message.subtype === 'final' && message.turn_id === id;
        const stopped = turn !== undefined && turn.cancel !== null;
        if (status === 'COMPLETED') {
          say.met('completed');
          const into = out.subtype === 'TURN_COMPLETED' ? out.payload.steered_into : undefined;
          if (into === undefined ? !final || stopped : !ended.has(into)) say.broken(`${id} is COMPLETED by nothing`);
          if (into !== undefined && turn?.pulled !== true) say.broken(`${id} was never pulled into ${into}`);
        }
        if (status === 'CANCELED') {
          say.met('canceled');
          const gone = before.inflight[id]?.is_lost === true;
          if (!stopped && turn?.run_id !== null && !gone) say.broken(`${id} is CANCELED and nobody asked`);
        }
        if (status === 'FAILED') {
          say.met('failed');
          if (stopped) say.broken(`${id} is FAILED though its cancel came first`);
          if (final && message.sequence === turn?.next_sequence) say.broken(`${id} is FAILED by its own final`);
          if (turn?.pulled) say.broken(`${id} was taken by its agent and FAILED`);
        }
        ended.add(id);
      }
    },
  },
];
