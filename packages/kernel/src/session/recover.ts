import type { MessageOf } from '@rostra/protocol/session/message';
import { dispatchedTurn, isWaitingFor, type Turn } from './context.ts';
import type { Draft } from './draft.ts';
import { canGoOn, loseRun } from './next-attempt.ts';
import { closeInteractions, endTurn } from './turn.ts';

/** The first message of every log: what the session was created with. */
export function onCreated(d: Draft, message: MessageOf<'CONTROL', 'SESSION_CREATED'>): void {
  if (d.context.epoch !== 0) return;
  const { workspace_id, owner_id, settings } = message.payload;
  d.set({ workspace_id, owner_id, settings, epoch: message.epoch });
}

/**
 * A new owner took the session over. Whatever ran under the old one is gone: a live turn goes on as the next attempt if
 * its runner can do that; otherwise it ends FAILED `host.restarted`, or CANCELED when its cancel was accepted. Queued
 * turns, handovers and transactions go on.
 */
export function onRecovered(d: Draft, message: MessageOf<'CONTROL', 'SESSION_RECOVERED'>): void {
  if (message.payload.epoch <= d.context.epoch) return;
  d.set({ epoch: message.payload.epoch, unreported: [] });
  waitOn(d);
  const turn = dispatchedTurn(d.context);
  if (turn === null) return;
  if (turn.cancel !== null) {
    endTurn(d, turn, { status: 'CANCELED', forced: true, reason: turn.cancel.reason });
    return;
  }
  if (turn.is_lost) return;
  if (canGoOn(d.context, turn)) {
    loseRun(d, turn);
    return;
  }
  const text = 'the host was restarted while this turn was running';
  closeInteractions(d, turn, 'run_lost');
  endTurn(d, withoutQuestions(turn), { status: 'FAILED', code: 'host.restarted', message: text, retryable: true });
}

/** Time in which nobody drove the session is no time in its queue. */
function waitOn(d: Draft): void {
  const away = d.ts - d.context.ts;
  for (const turn of Object.values(d.context.inflight)) {
    if (!isWaitingFor(turn, 'QUEUE')) continue;
    const waiting = turn.waiting.map((each) => ({ ...each, until: each.until === null ? null : each.until + away }));
    d.setTurn({ ...turn, waiting });
  }
}

function withoutQuestions(turn: Turn): Turn {
  return { ...turn, waiting: turn.waiting.filter((waiting) => waiting.for !== 'INTERACTION') };
}
