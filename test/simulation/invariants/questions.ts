/** T12: questions to people that outlive the turns in which they were asked. */

import type { MessageOf, SessionMessage } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import type { Invariant, Say, Step } from './invariant.ts';
import { terminalOf } from './observation.ts';

/** The answer starts one turn of the agent that asked, or is refused and the question stays. */
function checkAnswer({ message, publish, ledger, after }: Step, say: Say): void {
  if (message.event !== 'CONTROL' || message.subtype !== 'INTERACTION_ANSWERED') return;
  const { interaction_id } = message.payload;
  const agent = ledger.questions.get(interaction_id);
  if (agent === undefined) return;
  const turns = publish.filter((out) => out.event === 'EVENT' && out.subtype === 'TURN_ACCEPTED');
  const refused = publish.some((out) => out.event === 'ERROR' && out.subtype === 'REFUSED');
  const stays = after.questions.some((question) => question.interaction_id === interaction_id);
  if (refused) {
    if (turns.length > 0 || !stays) say.broken(`the answer to ${interaction_id} was refused and counted`);
    return;
  }
  say.met('answered');
  const [turn] = turns;
  const target = turn?.event === 'EVENT' && turn.subtype === 'TURN_ACCEPTED' ? turn.payload.agent_id : null;
  if (turns.length !== 1 || target !== agent)
    say.broken(`the answer to ${interaction_id} started ${turns.length} turns`);
  if (stays) say.broken(`${interaction_id} was answered and is open`);
  const input = publish.find((out) => out.event === 'USER_INPUT' && out.payload_of === undefined);
  const about = input?.event === 'USER_INPUT' ? input.payload.event?.data.interaction_id : null;
  if (about !== interaction_id) say.broken(`the turn after ${interaction_id} is about ${String(about)}`);
}

/** What a completed turn asked a person is not withdrawn with it. */
function checkLeft({ publish, ledger }: Step, say: Say): void {
  for (const out of publish) {
    if (terminalOf(out) !== 'COMPLETED') continue;
    for (const [id, purpose] of ledger.turns.get(out.turn_id ?? '')?.asking ?? []) {
      const isClosed = publish.some((each) => isResolved(each) && each.payload.interaction_id === id);
      if (isClosed === (purpose === 'question'))
        say.broken(`${purpose} ${id} of a completed turn, closed: ${isClosed}`);
    }
  }
}

function isResolved(message: SessionMessage): message is MessageOf<'EVENT', 'INTERACTION_RESOLVED'> {
  return message.event === 'EVENT' && message.subtype === 'INTERACTION_RESOLVED';
}

export const questionInvariants: readonly Invariant[] = [
  {
    id: 'T12',
    parts: ['left', 'answered', 'expired', 'closed'],
    check(step, say) {
      checkAnswer(step, say);
      checkLeft(step, say);
      const { publish, ledger } = step;
      for (const out of publish) {
        if (!isResolved(out) || !ledger.questions.has(out.payload.interaction_id)) continue;
        if (out.payload.outcome === 'expired') say.met('expired');
        if (out.payload.outcome === 'run_ended') say.met('closed');
        if (out.payload.outcome === 'run_lost') say.broken(`${out.payload.interaction_id} has no run to lose`);
      }
    },
    settle({ ledger, after, before, publish }, say) {
      if (after.questions !== before.questions) say.met();
      if (after.questions.length > before.questions.length) {
        say.met('left');
        const completed = publish.some((out) => terminalOf(out) === 'COMPLETED');
        if (!completed) say.broken('a question was left by a turn that did not complete');
      }
      const kept = new Set(after.questions.map(({ interaction_id }) => interaction_id));
      const isKept = [...ledger.questions.keys()].every((id) => kept.has(id));
      if (!isKept || kept.size !== ledger.questions.size || kept.size !== after.questions.length) {
        say.broken(`left open: ${[...ledger.questions.keys()].join()}; kept: ${[...kept].join()}`);
      }
      for (const { interaction_id, agent_id } of after.questions) {
        if (after.agents_in_session[agent_id]?.st !== 'IN') say.broken(`${interaction_id} outlives ${agent_id}`);
        if (after.state !== 'OPEN') say.broken(`${interaction_id} is open in a session that is ${after.state}`);
      }
      let open = ledger.questions.size;
      for (const turn of ledger.live.values()) open += turn.asking.size;
      if (open > limits.interactions) say.broken(`${open} questions are open`);
    },
  },
];
