import type { MessageOf } from '@rostra/protocol/session/message';
import { dispatchedTurn } from './context.ts';
import type { Draft } from './draft.ts';
import { endTurn } from './turn.ts';

/** The first message of every log: what the session was created with. */
export function onCreated(d: Draft, message: MessageOf<'CONTROL', 'SESSION_CREATED'>): void {
  if (d.context.epoch !== 0) return;
  const { workspace_id, owner_id, settings } = message.payload;
  d.set({ workspace_id, owner_id, settings, epoch: message.epoch });
}

/**
 * A new owner took the session over. Whatever ran under the old one is gone: a live turn ends FAILED `host.restarted`, or
 * CANCELED when its cancel was accepted; queued turns, handovers and transactions go on.
 */
export function onRecovered(d: Draft, message: MessageOf<'CONTROL', 'SESSION_RECOVERED'>): void {
  if (message.payload.epoch <= d.context.epoch) return;
  d.set({ epoch: message.payload.epoch });
  const turn = dispatchedTurn(d.context);
  if (turn === null) return;
  if (turn.cancel !== null) {
    endTurn(d, turn, { status: 'CANCELED', forced: true, reason: turn.cancel.reason });
    return;
  }
  const text = 'the host was restarted while this turn was running';
  endTurn(d, turn, { status: 'FAILED', code: 'host.restarted', message: text, retryable: true });
}
