import type { InteractionAnswer } from '@rostra/protocol/session/input';
import type { MessageOf } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import { isWaitingFor, own, type Turn } from './context.ts';
import type { Draft } from './draft.ts';
import { nextAttempt } from './next-attempt.ts';
import { admit } from './output-order.ts';

/** A run that asks a person: T_idle and T_turn stand still until the answer, the expiry or the end (SR-D49). */
export function onInteractionRequested(d: Draft, message: MessageOf<'CONTROL', 'INTERACTION_REQUESTED'>): void {
  const turn = admit(d, message);
  if (turn === null || turn.cancel !== null) return;
  const { interaction_id, expires_in, request } = message.payload;
  const open = turn.waiting.filter((waiting) => waiting.for === 'INTERACTION');
  if (open.some((waiting) => waiting.interaction_id === interaction_id)) return;
  if (open.length >= limits.interactions) {
    d.control(toAgent(turn), 'INTERACTION_EXPIRED', { interaction_id }, { turn });
    return;
  }
  const { interaction, interaction_max } = d.context.settings.timeouts;
  const until = d.ts + Math.min(expires_in ?? interaction, interaction_max);
  const waiting = [...turn.waiting, { for: 'INTERACTION' as const, until, gen: d.nextGen(), interaction_id }];
  d.setTurn({ ...turn, waiting, paused_at: turn.paused_at ?? d.ts });
  d.event('INTERACTION_OPENED', { interaction_id, until, request }, { turn });
}

export function onInteractionAnswered(d: Draft, message: MessageOf<'CONTROL', 'INTERACTION_ANSWERED'>): void {
  const { interaction_id } = message.payload;
  const turn = Object.values(d.context.inflight).find((each) =>
    each.waiting.some((waiting) => waiting.interaction_id === interaction_id),
  );
  if (turn === undefined) {
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
  d.event('INTERACTION_RESOLVED', { interaction_id, outcome: 'answered' }, { turn });
  goOn(d, turn.turn_id, message.payload);
}

export function interactionExpired(d: Draft, turn: Turn, interaction_id: string): void {
  resume(d, turn, interaction_id);
  if (!turn.is_lost) d.control(toAgent(turn), 'INTERACTION_EXPIRED', { interaction_id }, { turn });
  d.event('INTERACTION_RESOLVED', { interaction_id, outcome: 'expired' }, { turn });
  goOn(d, turn.turn_id, { interaction_id, action_id: null, values: {} });
}

/** A turn whose run was lost while it asked has the next one now: with the answer. */
function goOn(d: Draft, turn_id: string, answer: InteractionAnswer): void {
  const turn = own(d.context.inflight, turn_id);
  if (turn?.is_lost === true) nextAttempt(d, turn, answer);
}

/** The clocks go on where they stood, once nothing is asked any more. */
function resume(d: Draft, turn: Turn, interaction_id: string): void {
  const waiting = turn.waiting.filter((each) => each.interaction_id !== interaction_id);
  const asked = { ...turn, waiting };
  if (isWaitingFor(asked, 'INTERACTION') || turn.paused_at === null) {
    d.setTurn(asked);
    return;
  }
  const turn_until = turn.turn_until === null ? null : turn.turn_until + (d.ts - turn.paused_at);
  d.setTurn({ ...asked, turn_until, paused_at: null, last_output_at: d.ts });
}

function toAgent(turn: Turn) {
  const run = turn.run_id === null ? {} : { run_id: turn.run_id };
  return { target: 'AGENT' as const, target_id: turn.target_agent_id, ...run };
}
