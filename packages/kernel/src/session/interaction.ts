import { callsIn } from '@rostra/protocol/session/client-call';
import type { InteractionAnswer } from '@rostra/protocol/session/input';
import type { MessageOf } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import { stopAsking } from './asking.ts';
import { own, type Turn, type Waiting } from './context.ts';
import type { Draft } from './draft.ts';
import { nextAttempt } from './next-attempt.ts';
import { admit } from './output-order.ts';
import { askingTurn, isOpenQuestion, openQuestions, questionOf } from './question.ts';
import { submitAnswer } from './submitted-answer.ts';
import { closeMessage } from './turn.ts';

/** A run that asks a person: T_idle and T_turn stand still until the answer, the expiry or the end (SR-D49). */
export function onInteractionRequested(d: Draft, message: MessageOf<'CONTROL', 'INTERACTION_REQUESTED'>): void {
  const turn = admit(d, message);
  if (turn === null || turn.cancel !== null) return;
  // A log may hold what a host asked that knew of one purpose only.
  const { interaction_id, purpose = 'question', kind = 'form', expires_in, request } = message.payload;
  if (isOpenQuestion(d.context, interaction_id)) return;
  if (openQuestions(d.context) >= limits.interactions) {
    d.control(toAgent(turn), 'INTERACTION_EXPIRED', { interaction_id, refused: true }, { turn });
    return;
  }
  // What a client's tool brings comes after what was said before it, as a message of its own.
  const isCall = purpose === 'client_tool';
  if (isCall) closeMessage(d, turn);
  const { interaction, interaction_max } = d.context.settings.timeouts;
  const until = d.ts + Math.min(expires_in ?? interaction, interaction_max);
  const asked: Waiting = { for: 'INTERACTION', until, gen: d.nextGen(), interaction_id, purpose, kind };
  if (d.cause.seq !== undefined) asked.opened_seq = d.cause.seq + 1 + d.publish.length;
  if (isCall) asked.calls = callsIn(request).map(({ tool_call_id }) => tool_call_id);
  const open_message_id = isCall ? null : turn.open_message_id;
  d.setTurn({ ...turn, open_message_id, waiting: [...turn.waiting, asked], paused_at: turn.paused_at ?? d.ts });
  const { target_agent_id: agent_id, run_id } = turn;
  d.event('INTERACTION_OPENED', { interaction_id, purpose, kind, agent_id, run_id, until, request }, { turn });
}

export function onInteractionAnswered(d: Draft, message: MessageOf<'CONTROL', 'INTERACTION_ANSWERED'>): void {
  const { interaction_id, action_id, values, client_run_id } = message.payload;
  const question = questionOf(d.context, interaction_id);
  const turn = askingTurn(d.context, interaction_id);
  const until = question?.until ?? turn?.waiting.find((each) => each.interaction_id === interaction_id)?.until ?? 0;
  // Its timer may not have come yet; the clock decides all the same.
  const isOpen = d.ts < until;
  if (isOpen && question !== null) {
    submitAnswer(d, question, message);
    return;
  }
  if (!isOpen || turn === null) {
    d.refuse({
      reason: 'INTERACTION_NOT_OPEN',
      code: 'not_found',
      message: 'this question is not open',
      hint: 'Somebody else may have answered it, or it has expired.',
    });
    return;
  }
  resume(d, turn, interaction_id);
  if (!turn.is_lost) d.control(toAgent(turn), 'INTERACTION_ANSWERED', message.payload, { turn });
  const answer = { action_id, values };
  d.event(
    'INTERACTION_RESOLVED',
    { interaction_id, outcome: 'answered', answer, answered_by: message.sender.id, ...named(client_run_id) },
    { turn },
  );
  goOn(d, turn.turn_id, { interaction_id, action_id, values });
}

export function interactionExpired(d: Draft, turn: Turn, interaction_id: string): void {
  resume(d, turn, interaction_id);
  if (!turn.is_lost) d.control(toAgent(turn), 'INTERACTION_EXPIRED', { interaction_id }, { turn });
  d.event('INTERACTION_RESOLVED', { interaction_id, outcome: 'expired', answer: null, answered_by: null }, { turn });
  goOn(d, turn.turn_id, { interaction_id, action_id: null, values: {} });
}

/** A turn whose run was lost while it asked has the next one now: with the answer. */
function goOn(d: Draft, turn_id: string, answer: InteractionAnswer): void {
  const turn = own(d.context.inflight, turn_id);
  if (turn?.is_lost === true) nextAttempt(d, turn, answer);
}

function resume(d: Draft, turn: Turn, interaction_id: string): void {
  d.setTurn(stopAsking(turn, (question) => question.interaction_id === interaction_id, d.ts));
}

/** The run that an AG-UI client began by its answer. */
function named(client_run_id: string | undefined): { client_run_id?: string } {
  return client_run_id === undefined ? {} : { client_run_id };
}

function toAgent(turn: Turn) {
  const run = turn.run_id === null ? {} : { run_id: turn.run_id };
  return { target: 'AGENT' as const, target_id: turn.target_agent_id, ...run };
}
