import type { MessageOf } from '@rostra/protocol/session/message';
import { isWaitingFor, own, type SessionContext, type Turn } from './context.ts';
import type { Draft } from './draft.ts';
import { speakingTurn } from './output-order.ts';

/** What came while this turn was running and its agent has not taken yet, in the order of arrival. */
export function untakenInputs({ inflight }: SessionContext, turn_id: string): Turn[] {
  return Object.values(inflight)
    .filter((turn) => turn.parent === turn_id && isWaitingFor(turn, 'STEERING') && !turn.pulled)
    .sort((a, b) => a.accepted - b.accepted);
}

/** The running agent has taken these inputs: they end with its turn instead of being dispatched (SR-D48). */
export function onSteeringPulled(d: Draft, message: MessageOf<'CONTROL', 'STEERING_PULLED'>): void {
  const parent = speakingTurn(d, message);
  if (parent === null || parent.cancel !== null) return;
  for (const turn_id of message.payload.turn_ids) {
    const turn = own(d.context.inflight, turn_id);
    if (turn?.parent !== parent.turn_id || !isWaitingFor(turn, 'STEERING') || turn.pulled) continue;
    d.setTurn({ ...turn, pulled: true });
  }
}
