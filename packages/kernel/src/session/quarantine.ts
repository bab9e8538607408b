import type { MessageOf } from '@rostra/protocol/session/message';
import { dispatchedTurn, own } from './context.ts';
import type { Draft } from './draft.ts';
import { closeQuestions } from './question.ts';
import { abortHandover } from './roster.ts';
import { closeFailed } from './transactions/close.ts';
import { inviteFailed } from './transactions/invite.ts';
import { openFailed } from './transactions/open.ts';
import { removeFailed } from './transactions/remove.ts';
import { abandonRun, endTurn, terminateRun } from './turn.ts';

/** The driver takes no more input for this session: whatever is under way ends visibly, and nothing is armed any more. */
export function onQuarantined(d: Draft, _message: MessageOf<'CONTROL', 'SESSION_QUARANTINED'>): void {
  const message = 'this session failed repeatedly and is read-only now';
  abortHandover(d);
  closeQuestions(d);
  const running = dispatchedTurn(d.context);
  const others = Object.keys(d.context.inflight).filter((id) => id !== running?.turn_id);
  for (const turn_id of running === null ? others : [running.turn_id, ...others]) {
    // The end of the running turn is that of those which steered it.
    const turn = own(d.context.inflight, turn_id);
    if (turn === undefined) continue;
    if (turn.cancel !== null) {
      terminateRun(d, turn);
      endTurn(d, turn, { status: 'CANCELED', forced: true, reason: turn.cancel.reason });
    } else {
      abandonRun(d, turn, 'session quarantined');
      terminateRun(d, turn);
      endTurn(d, turn, { status: 'FAILED', code: 'SESSION_QUARANTINED', message, retryable: true });
    }
  }
  const error = { code: 'runtime_error' as const, message };
  for (const tx of Object.values(d.context.transactions)) {
    if (tx.kind === 'INVITE') inviteFailed(d, tx, error);
    if (tx.kind === 'REMOVE') removeFailed(d, tx, message);
    if (tx.kind === 'OPEN') openFailed(d, tx, error);
    if (tx.kind === 'CLOSE') closeFailed(d, tx, error);
  }
}
