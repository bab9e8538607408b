import type { MessageOf } from '@rostra/protocol/session/message';
import { isWaitingFor, own } from './context.ts';
import type { Draft } from './draft.ts';
import { speakingTurn } from './output-order.ts';

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
