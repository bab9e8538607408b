/** T: deadlines of turns, in virtual time. */

import { isWaitingFor, type SessionContext, type Turn } from '@rostra/kernel/session/context';
import { type Deadline, deadlines } from '@rostra/kernel/session/deadlines';
import { settled } from '@rostra/kernel/session/speech';
import { limits } from '@rostra/protocol/wire/limits';
import type { Invariant, Say, Step } from './invariant.ts';
import type { Ledger } from './ledger.ts';
import { isCancel } from './observation.ts';
import type { TurnFacts } from './turn-facts.ts';

/** How late a deadline may be noticed: what a commit or a load may hold up, in virtual milliseconds. */
export const SLACK = 50;

/** T_open + T_add + T_queue + T_ack + T_turn + T_cancel, and the same again for a turn that was steered first. */
function longestLife(ledger: Ledger, turn: TurnFacts): number {
  const t = ledger.settings?.timeouts;
  if (t === undefined) return Number.POSITIVE_INFINITY;
  const run = t.ack + t.turn + t.cancel;
  const own = t.open + t.add + t.queue + run;
  const parent = ledger.turns.get(turn.parent ?? '');
  const steered = turn.state === 'steering' ? run + (parent?.person ?? 0) : 0;
  return own + steered + turn.person + SLACK;
}

/** A turn that has lived longer than any turn may. */
export function overdueTurn(ledger: Ledger, at: number): string | null {
  for (const turn of ledger.live.values()) {
    const age = at - turn.accepted.at - (ledger.down - turn.accepted.down);
    if (age > longestLife(ledger, turn)) return `${turn.id} is alive after ${age} ms`;
  }
  return null;
}

function routeTimeout({ publish }: Step): string | null {
  for (const out of publish) if (out.event === 'ERROR' && out.subtype === 'ROUTE_TIMEOUT') return out.turn_id ?? '';
  return null;
}

/** The expiry of an acknowledgement nobody gave. */
function checkRouteTimeout(step: Step, say: Say): void {
  const { ledger, message, publish } = step;
  const ack = ledger.settings?.timeouts.ack ?? 0;
  const failed = routeTimeout(step);
  if (failed !== null) {
    say.met();
    const turn = ledger.turns.get(failed);
    if (turn === undefined || turn.acked || turn.cancel !== null) say.broken(`${failed} was not waiting for an ACK`);
    if (message.ts < (turn?.dispatched?.ts ?? 0) + ack) say.broken(`${failed} timed out too early`);
    const end = publish.find((out) => out.event === 'EVENT' && out.subtype === 'TURN_FAILED' && out.turn_id === failed);
    const code = end?.event === 'EVENT' && end.subtype === 'TURN_FAILED' ? end.payload.code : null;
    if (code !== 'ROUTE_TIMEOUT') say.broken(`${failed} ended with ${code}`);
    if (!publish.some((out) => isCancel(out) && out.turn_id === failed))
      say.broken(`nobody told the agent of ${failed}`);
  }
  if (message.event !== 'TIMER' || message.subtype !== 'INPUT_ACK') return;
  const turn = ledger.live.get(message.payload.turn_id);
  const due = turn !== undefined && !turn.acked && turn.cancel === null;
  if (due && failed !== turn.id) say.broken(`${turn.id} waited T_ack and goes on`);
}

function lateAck({ ledger, message }: Step, say: Say): void {
  if (message.event !== 'CONTROL' || message.subtype !== 'INPUT_ACK') return;
  if (ledger.turns.get(message.turn_id ?? '')?.end) say.met('late');
}

/** A deadline as the oracle compares it: what it is of, and when. */
interface Due {
  kind: Deadline['kind'];
  of: string;
  gen: number;
  until: number | null;
}

function isSame({ kind, of, gen, until }: Due, armed: Due): boolean {
  return gen === armed.gen && kind === armed.kind && of === armed.of && until === armed.until;
}

function textOf({ kind, of, gen, until }: Due): string {
  return `${kind} ${of} ${gen} ${until}`;
}

/** However many reasons there are for a deadline, it is armed once. */
function add(expected: Due[], kind: Due['kind'], of: string, gen: number, until: number | null): void {
  const due = { kind, of, gen, until };
  if (!expected.some((other) => isSame(other, due))) expected.push(due);
}

/** Every deadline the session ought to have, from the state alone. */
function expectedDeadlines(speaking: SessionContext): Due[] {
  const context = settled(speaking);
  const expected: Due[] = [];
  for (const id in context.inflight) {
    const turn = context.inflight[id];
    if (turn === undefined) continue;
    for (const waiting of turn.waiting) {
      if (waiting.for === 'STEERING' || waiting.for === 'ADD_AGENT') continue;
      add(expected, waiting.for, turn.turn_id, waiting.gen, waiting.until);
    }
    addRun(expected, context, turn);
  }
  for (const { turn_id, gen, until } of context.questions) add(expected, 'INTERACTION', turn_id, gen, until);
  for (const id in context.transactions) {
    const tx = context.transactions[id];
    if (tx !== undefined && tx.kind !== 'CANCEL') add(expected, 'TX', tx.tx_id, tx.gen, tx.until);
  }
  return expected;
}

function addRun(expected: Due[], context: SessionContext, turn: Turn): void {
  const { turn_id, gen } = turn;
  const asks = turn.waiting.some((waiting) => waiting.for === 'INTERACTION');
  if (turn.run_id === null || turn.cancel !== null || asks) return;
  add(expected, 'TURN', turn_id, gen, turn.turn_until);
  const working = turn.status === 'RUNNING' && turn.open_calls === 0;
  if (working) add(expected, 'IDLE', turn_id, gen, turn.last_output_at + context.settings.timeouts.idle);
}

/** Each deadline that ought to be is armed once, and nothing else is. */
function checkArmed(armed: readonly Deadline[], expected: Due[], say: Say): void {
  for (const { kind, turn_id, tx_id, gen, at } of armed) {
    const found = { kind, of: turn_id ?? tx_id ?? '', gen, until: at };
    const index = expected.findIndex((due) => isSame(due, found));
    if (index >= 0) expected.splice(index, 1);
    else say.broken(`armed without reason, or twice: ${textOf(found)}`);
  }
  for (const due of expected) say.broken(`not armed: ${textOf(due)}`);
}

/** What a live turn must be waiting for, by what the oracle knows of it. */
function checkWaiting(turn: Turn, facts: TurnFacts, after: SessionContext, say: Say): void {
  const { waiting } = turn;
  const has = (kind: Turn['waiting'][number]['for']) => isWaitingFor(turn, kind);
  if (facts.run_id === null && waiting.length !== 1) {
    say.broken(`${facts.id} waits for ${waiting.map((each) => each.for).join() || 'nothing'}`);
  }
  if (has('QUEUE') !== after.queue.includes(facts.id)) say.broken(`${facts.id} waits for the queue beside it`);
  if (has('CANCEL_ACK') !== (facts.cancel !== null)) say.broken(`${facts.id}: CANCEL_ACK and its cancel disagree`);
  // A run that was lost before it acknowledged begins again with the answer that it waits for.
  if (facts.run_id !== null && !facts.acked && facts.cancel === null && !turn.is_lost && !has('INPUT_ACK')) {
    say.broken(`${facts.id} was dispatched and awaits no INPUT_ACK`);
  }
  let asking = 0;
  for (const each of waiting) if (each.for === 'INTERACTION') asking += 1;
  if (facts.cancel === null && asking !== facts.asking.size) say.broken(`${facts.id} has ${asking} open questions`);
  if (has('ADD_AGENT')) {
    const invited = Object.values(after.transactions).some((tx) => tx.kind === 'INVITE' && tx.agent_id === facts.agent);
    if (!invited) say.broken(`${facts.id} waits for an agent that nobody invited`);
  }
}

function checkSlept(armed: readonly Deadline[], { loaded }: Ledger, at: number, say: Say): void {
  for (const deadline of armed) {
    const due = loaded.at + Math.max(0, deadline.at - loaded.ts);
    if (at - due > SLACK) say.broken(`${deadline.kind} was due ${at - due} ms ago`);
  }
}

export const turnDeadlineInvariants: readonly Invariant[] = [
  {
    id: 'T3',
    settle({ ledger, at, publish }, say) {
      for (const out of publish) if (out.event === 'EVENT' && out.subtype === 'TURN_ACCEPTED') say.met();
      const overdue = overdueTurn(ledger, at);
      if (overdue !== null) say.broken(overdue);
    },
  },
  { id: 'T5', parts: ['late'], check: checkRouteTimeout, ignored: lateAck },
  {
    id: 'T11',
    parts: ['asking'],
    settle({ after, ledger, before, message, at }, say) {
      const armed = deadlines(after);
      if (armed.length > 1) say.met();
      checkArmed(armed, expectedDeadlines(after), say);
      for (const id in after.inflight) {
        const turn = after.inflight[id];
        const facts = ledger.turns.get(id);
        if (turn === undefined || facts === undefined) continue;
        if (facts.asking.size > 0) say.met('asking');
        checkWaiting(turn, facts, after, say);
      }
      // The driver must not sleep through a deadline; its time counts from when it took the session.
      if (message.event !== 'TIMER') checkSlept(deadlines(before), ledger, at, say);
      if (after.queue.length > limits.queue + limits.steering) say.broken('the queue has no bound');
    },
  },
];
