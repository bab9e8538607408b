import type { MessageOf } from '@rostra/protocol/session/message';
import { dispatchedTurn, own, type Turn } from '../context.ts';
import type { Draft } from '../draft.ts';
import { closeInteractions, closeMessage, endTurn, expectReport, terminateRun } from '../turn.ts';
import { openTx } from './transaction.ts';

type Cancel = MessageOf<'CONTROL', 'CANCEL'> | MessageOf<'CONTROL', 'INTERRUPT'>;

/**
 * | state of the turn      | CANCEL                                    | CANCEL_ACK, final, failure | T_cancel             |
 * | ---------------------- | ----------------------------------------- | -------------------------- | -------------------- |
 * | queued, steering       | CANCELED at once                          | –                          | –                    |
 * | dispatched             | CANCEL to the agent, outputs withheld     | –                          | –                    |
 * | dispatched, cancelling | joins                                     | CANCELED                   | CANCELED, run is dead |
 */
export function onCancel(d: Draft, message: Cancel): void {
  const turn_id = message.payload.turn_id ?? message.turn_id;
  const turn = turn_id === undefined ? dispatchedTurn(d.context) : own(d.context.inflight, turn_id);
  if (!turn) {
    d.event('NO_ACTIVE_SPEAKING', { ref: message.id });
    return;
  }
  const reason = message.payload.reason ?? 'user';
  if (turn.run_id === null) {
    endTurn(d, turn, { status: 'CANCELED', reason });
  } else if (turn.cancel === null) {
    if (d.context.user_interruptible) startCancel(d, turn, reason, message.sender.id);
    else refuseInterrupt(d);
  }
}

export function refuseInterrupt(d: Draft): void {
  d.refuse({
    reason: 'NOT_INTERRUPTIBLE',
    code: 'invalid_argument',
    message: 'this agent may not be interrupted',
    hint: 'Wait for the turn to end, or remove the agent.',
  });
}

/** Nothing of this turn reaches a frontend any more; it ends when the agent acknowledges, or at T_cancel. */
export function startCancel(d: Draft, turn: Turn, reason: string, requested_by: string): void {
  if (turn.run_id === null || turn.cancel !== null) return;
  if (turn.is_lost) {
    endTurn(d, turn, { status: 'CANCELED', reason });
    return;
  }
  closeInteractions(d, turn);
  closeMessage(d, turn);
  const until = d.ts + d.context.settings.timeouts.cancel;
  const tx = openTx(d, {
    kind: 'CANCEL',
    turn_id: turn.turn_id,
    agent_id: turn.target_agent_id,
    until,
    reason,
    requested_by,
  });
  d.setTurn({
    ...turn,
    cancel: { reason, requested_by },
    waiting: [{ for: 'CANCEL_ACK', until, gen: tx.gen }],
    open_message_id: null,
    paused_at: null,
  });
  const to = { target: 'AGENT' as const, target_id: turn.target_agent_id, run_id: turn.run_id };
  d.control(to, 'CANCEL', { turn_id: turn.turn_id, reason }, { turn, tx_id: tx.tx_id });
  d.event('CANCEL_SENT', { agent_id: turn.target_agent_id }, { turn, tx_id: tx.tx_id });
  expectReport(d, turn);
}

/** What the orchestrator did to the run: kept in the log, once. */
export function onCancelReport(d: Draft, message: MessageOf<'CONTROL', 'CANCEL_REPORT'>): void {
  const { run_id } = message.payload;
  if (message.run_id !== undefined && message.run_id !== run_id) return;
  const left = d.context.unreported.filter((run) => run.run_id !== run_id || run.agent_id !== message.sender.id);
  if (left.length < d.context.unreported.length) d.set({ unreported: left });
}

/** Whatever the agent said last, once a cancel was accepted the turn is CANCELED (SR-INV-X9). */
export function acknowledgeCancel(d: Draft, turn: Turn): void {
  if (turn.cancel === null) return;
  endTurn(d, turn, { status: 'CANCELED', reason: turn.cancel.reason });
}

export function cancelTimedOut(d: Draft, turn: Turn): void {
  if (turn.cancel === null) return;
  d.error(
    'CANCEL_TIMEOUT',
    {
      reason: 'CANCEL_TIMEOUT',
      code: 'deadline_exceeded',
      message: 'the agent did not stop in time; its run was cut off',
    },
    { turn, ref: turn.turn_id },
  );
  terminateRun(d, turn);
  endTurn(d, turn, { status: 'CANCELED', forced: true, reason: turn.cancel.reason });
}
