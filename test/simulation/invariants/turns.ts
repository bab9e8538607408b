/** T: the life of a turn, as its own messages tell it. */

import { type Deadline, deadlines } from '@rostra/kernel/session/deadlines';
import type { Invariant, Say, Step } from './invariant.ts';
import { isForwarded, isInput, isShown, terminalOf } from './observation.ts';

function isAuthorised({ message }: Step): boolean {
  const { kind, role } = message.sender;
  return kind === 'user' && (role === 'owner' || role === 'participant');
}

/** An input that the session had to answer: of this session, from somebody who may speak. */
function mustAnswer(step: Step): boolean {
  const { message, ledger, before } = step;
  if (message.event !== 'USER_INPUT' || message.session_id !== before.session_id) return false;
  return isAuthorised(step) && ledger.epoch !== 0 && !ledger.taken.has(message.id);
}

function answersTo({ message, publish }: Step): number {
  const turn_id = message.turn_id ?? message.id;
  let answers = 0;
  for (const out of publish) {
    if (!isShown(out)) continue;
    if (out.event === 'EVENT' && out.subtype === 'TURN_ACCEPTED' && out.turn_id === turn_id) answers += 1;
    if (out.event === 'ERROR' && out.subtype === 'REFUSED' && out.payload.ref === message.id) answers += 1;
  }
  return answers;
}

/** Status before and after, for every turn that the step touched. */
function checkMoves({ before, after, publish, ledger }: Step, say: Say): void {
  const ended = new Map<string, string>();
  for (const out of publish) {
    const status = terminalOf(out);
    if (status !== null && out.turn_id !== undefined) ended.set(out.turn_id, status);
  }
  for (const id in before.inflight) {
    const turn = before.inflight[id];
    const now = after.inflight[id];
    if (turn === undefined || (turn === now && !ended.has(id))) continue;
    if (now === undefined && !ended.has(id)) say.broken(`${id} vanished`);
    if (now !== undefined && ended.has(id)) say.broken(`${id} ended and lives on`);
    if (now !== undefined && turn.status === 'RUNNING' && now.status !== 'RUNNING') say.broken(`${id} went back`);
    if (now !== undefined && turn.status === 'ROUTING' && now.status === 'RUNNING') say.met();
    if (ended.get(id) === 'COMPLETED' && turn.status === 'ROUTING') checkImplicit(id, { publish, ledger }, say);
  }
  for (const id in after.inflight) {
    const status = after.inflight[id]?.status;
    if (before.inflight[id] === undefined && status !== 'ROUTING') say.broken(`${id} was born ${status}`);
  }
}

/** A turn that never ran is COMPLETED only by a final as its first output, or with the turn it steered. */
function checkImplicit(id: string, step: Pick<Step, 'publish' | 'ledger'>, say: Say): void {
  const final = step.publish.some((out) => isForwarded(out) && out.subtype === 'final' && out.turn_id === id);
  if (!final && step.ledger.turns.get(id)?.pulled !== true) say.broken(`${id} is COMPLETED from ROUTING`);
}

export const turnInvariants: readonly Invariant[] = [
  {
    id: 'T1',
    check(step, say) {
      if (!mustAnswer(step)) return;
      say.met();
      const answers = answersTo(step);
      if (answers !== 1) say.broken(`${answers} answers to input ${step.message.id}`);
    },
    ignored(step, say) {
      if (mustAnswer(step)) say.broken(`input ${step.message.id} was lost without a word`);
    },
  },
  {
    id: 'T2',
    check({ ledger, publish }, say) {
      const ended = new Set<string>();
      for (const out of publish) {
        if (terminalOf(out) === null || out.turn_id === undefined) continue;
        const turn = ledger.turns.get(out.turn_id);
        if (ended.has(out.turn_id) || (turn !== undefined && turn.ends > 0)) say.broken(`${out.turn_id} ended twice`);
        ended.add(out.turn_id);
      }
    },
    settle({ ledger, after, message }, say) {
      const turn = ledger.turns.get(message.turn_id ?? '');
      if (message.sender.kind === 'agent' && turn?.end) say.met();
      for (const id in after.inflight) if (ledger.turns.get(id)?.end) say.broken(`${id} has ended and is in flight`);
    },
    ignored({ ledger, message }, say) {
      const turn = ledger.turns.get(message.turn_id ?? '');
      if (message.sender.kind === 'agent' && turn?.end) say.met();
    },
  },
  { id: 'T4', check: checkMoves },
  {
    id: 'T6',
    settle({ ledger, after, before }, say) {
      for (const id in after.inflight) {
        const turn = after.inflight[id];
        const facts = ledger.turns.get(id);
        if (turn === undefined || facts === undefined) continue;
        if (before.inflight[id] !== undefined && before.active_agent_id !== after.active_agent_id) say.met();
        if (turn.turn_id !== id || turn.target_agent_id !== facts.agent || turn.trace_id !== facts.trace) {
          say.broken(`${id} changed its agent, trace or name`);
        }
        const asked = facts.requested_by ?? before.inflight[id]?.requested_by ?? turn.requested_by;
        if (turn.requested_by !== asked) say.broken(`${id} changed who asked`);
      }
    },
  },
  {
    id: 'T7',
    check({ ledger, publish }, say) {
      const accepted = new Set<string>();
      const started = new Set<string>();
      for (const out of publish) {
        const id = out.turn_id;
        if (id === undefined || !isShown(out)) continue;
        const turn = ledger.turns.get(id);
        if (out.event === 'EVENT' && out.subtype === 'TURN_ACCEPTED') accepted.add(id);
        else if (turn === undefined && !accepted.has(id)) say.broken(`${out.subtype} of ${id} before TURN_ACCEPTED`);
        if (out.event === 'EVENT' && out.subtype === 'AGENT_STARTED') {
          say.met();
          if (started.has(id) || (turn?.started ?? 0) > 0) say.broken(`AGENT_STARTED of ${id} twice`);
          if (turn?.spoke) say.broken(`AGENT_STARTED of ${id} after its first output`);
          started.add(id);
        }
        if (isForwarded(out) && !started.has(id) && (turn?.started ?? 0) === 0) {
          say.broken(`output of ${id} before AGENT_STARTED`);
        }
      }
    },
  },
  {
    id: 'T8',
    settle({ ledger, publish }, say) {
      for (const out of publish) {
        const turn = ledger.turns.get(out.turn_id ?? '');
        if (turn !== undefined && turn.accepts > 1) say.broken(`${turn.id} was accepted ${turn.accepts} times`);
      }
    },
  },
  {
    id: 'T9',
    settle({ ledger, after, publish }, say) {
      if (!publish.some((out) => terminalOf(out) !== null)) return;
      const ended = publish.flatMap((out) => (terminalOf(out) === null ? [] : (out.turn_id ?? [])));
      if (ended.length === 0) return;
      say.met();
      const armed = deadlines(after);
      // What a completed turn asked a person is the one thing of it that may stay.
      const isLeft = ({ interaction_id }: Deadline) => ledger.questions.has(interaction_id ?? '');
      for (const id of ended) {
        if (after.queue.includes(id)) say.broken(`${id} ended and is queued`);
        if (armed.some((deadline) => deadline.turn_id === id && !isLeft(deadline)))
          say.broken(`a timer of ${id} outlives it`);
        const cancels = Object.values(after.transactions).some((tx) => tx.kind === 'CANCEL' && tx.turn_id === id);
        if (cancels) say.broken(`the cancel of ${id} outlives it`);
        if ((ledger.turns.get(id)?.asking.size ?? 0) > 0) say.broken(`a question of ${id} outlives it`);
        const agent = ledger.turns.get(id)?.agent;
        const other = [...ledger.live.values()].some((turn) => turn.agent === agent && turn.spoke);
        if (after.speaking_agent_id === agent && !other) say.broken(`${agent} still speaks after ${id}`);
      }
    },
  },
  {
    id: 'T10',
    check({ ledger, publish }, say) {
      for (const out of publish) {
        if (!isInput(out)) continue;
        say.met();
        const turn = ledger.turns.get(out.turn_id ?? '');
        const again = publish.some((each) => each.subtype === 'TURN_RESUMED' && each.turn_id === out.turn_id);
        if ((turn?.inputs ?? 0) > 0 && !again) say.broken(`the input of ${out.turn_id} was sent twice`);
        if (again && turn?.run_id === out.run_id) say.broken(`${out.run_id} was begun twice`);
      }
    },
    settle({ ledger, publish }, say) {
      for (const out of publish) {
        const turn = ledger.turns.get(out.turn_id ?? '');
        if (isInput(out) && turn?.run_id !== out.run_id) say.broken(`${out.turn_id} is sent as run ${out.run_id}`);
        if (isInput(out) && turn?.agent !== out.target_id) say.broken(`${out.turn_id} is sent to ${out.target_id}`);
        if (turn !== undefined && turn.inputs > 1) say.broken(`${turn.inputs} inputs of ${turn.id} were sent`);
        if (turn !== undefined && turn.dispatches > 1) say.broken(`${turn.id} was dispatched again`);
      }
    },
  },
];
