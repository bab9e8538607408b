import type { MessageOf } from '@rostra/protocol/session/message';
import type { Draft } from './draft.ts';
import { speakingTurn } from './output-order.ts';
import { startCancel } from './transactions/cancel.ts';

/**
 * A live run asks for the end of a run of its session. One turn is dispatched at a time, so that it can only be its own:
 * whoever asks may always stop, whether or not people may interrupt it.
 */
export function onCancelRequest(d: Draft, message: MessageOf<'CONTROL', 'CANCEL_REQUEST'>): void {
  const turn = speakingTurn(d, message);
  if (turn === null || turn.run_id !== message.payload.run_id) return;
  startCancel(d, turn, message.payload.reason ?? 'agent', message.sender.id);
}
