import type { MessageOf } from '@rostra/protocol/session/message';
import type { AgentAPIError } from '@rostra/protocol/wire/api-error';
import { dispatchedTurn, pendingTransaction, type Transaction } from '../context.ts';
import type { Draft } from '../draft.ts';
import { closeQuestions } from '../question.ts';
import { abortHandover, switchActive } from '../roster.ts';
import { endTurn } from '../turn.ts';
import { startCancel } from './cancel.ts';
import { inviteFailed } from './invite.ts';
import { openFailed } from './open.ts';
import { removeFailed } from './remove.ts';
import { joinTx, openTx, txOf } from './transaction.ts';

/**
 * | session            | SESSION_CLOSE                              | turn ended             | CLOSED | FAILED, T_close |
 * | ------------------ | ------------------------------------------ | ---------------------- | ------ | --------------- |
 * | OPEN               | CLOSING; turns and transactions are ended  | –                      | –      | –               |
 * | CLOSING, STOPPING  | joins                                      | REQUEST_SESSION_CLOSE  | –      | OPEN again      |
 * | CLOSING, REQUESTED | joins                                      | –                      | CLOSED | OPEN again      |
 * | CLOSED             | SESSION_CLOSED existing                    | –                      | –      | –               |
 */
export function onClose(d: Draft, message: MessageOf<'CONTROL', 'SESSION_CLOSE'>): void {
  const { state } = d.context;
  if (state === 'CLOSED') {
    d.event('SESSION_CLOSED', { existing: true });
  } else if (state === 'CLOSING') {
    const pending = pendingTransaction(d.context, 'CLOSE');
    if (pending !== null) joinTx(d, pending);
  } else if (state === 'OPENING') {
    d.refuse({
      reason: 'SESSION_NOT_OPEN',
      code: 'invalid_argument',
      message: 'this session is still opening',
      retryable: true,
    });
  } else {
    begin(d, message);
  }
}

function begin(d: Draft, message: MessageOf<'CONTROL', 'SESSION_CLOSE'>): void {
  d.set({ state: 'CLOSING' });
  abortHandover(d);
  closeQuestions(d);
  for (const tx of Object.values(d.context.transactions)) {
    if (tx.kind === 'INVITE') inviteFailed(d, tx, { code: 'invalid_argument', message: 'the session is closing' });
    if (tx.kind === 'REMOVE' && tx.step === 'REQUESTED') removeFailed(d, tx, 'the session is closing');
  }
  for (const turn of Object.values(d.context.inflight)) {
    if (turn.run_id === null && !turn.pulled) endTurn(d, turn, { status: 'CANCELED', reason: 'session closed' });
  }
  const { cancel, close } = d.context.settings.timeouts;
  const reason = message.payload.reason ?? 'user';
  const requested_by = message.sender.id;
  openTx(d, { kind: 'CLOSE', step: 'STOPPING', until: d.ts + cancel + close, reason, requested_by });
  const running = dispatchedTurn(d.context);
  if (running !== null) startCancel(d, running, 'session closed', requested_by);
}

/** The SessionManager is asked only when no turn lives (SR-INV-H3). */
export function continueClose(d: Draft): void {
  const tx = pendingTransaction(d.context, 'CLOSE', (each) => each.step === 'STOPPING');
  if (tx === null || Object.keys(d.context.inflight).length > 0) return;
  for (const other of Object.values(d.context.transactions)) {
    if (other.kind === 'REMOVE') removeFailed(d, other, 'the session is closing');
  }
  d.setTx({ ...tx, step: 'REQUESTED', until: d.ts + d.context.settings.timeouts.close, gen: d.nextGen() });
  const to = { target: 'SYSTEM' as const, target_id: 'session_manager' };
  d.control(to, 'REQUEST_SESSION_CLOSE', { reason: tx.reason }, { tx_id: tx.tx_id });
}

export function onClosed(d: Draft, _message: MessageOf<'CONTROL', 'SESSION_CLOSED'>): void {
  const tx = txOf(d, 'CLOSE');
  if (tx?.step !== 'REQUESTED') return;
  d.dropTx(tx.tx_id);
  d.set({ state: 'CLOSED', agents_in_session: {} });
  d.event('SESSION_CLOSED', { existing: false }, { tx_id: tx.tx_id });
  switchActive(d, null, 'close');
}

/** SESSION_FAILED answers an open or a close; the transaction says which. */
export function onSessionFailed(d: Draft, message: MessageOf<'CONTROL', 'SESSION_FAILED'>): void {
  const open = txOf(d, 'OPEN');
  const close = txOf(d, 'CLOSE');
  if (open !== null) openFailed(d, open, message.payload.error);
  if (close?.step === 'REQUESTED') closeFailed(d, close, message.payload.error);
}

export function closeFailed(d: Draft, tx: Transaction, error: Pick<AgentAPIError, 'code' | 'message'>): void {
  d.dropTx(tx.tx_id);
  d.set({ state: 'OPEN' });
  const { code, message } = error;
  const { ref } = tx;
  d.error(
    'SESSION_FAILED',
    {
      reason: 'SESSION_FAILED',
      code,
      message,
      retryable: true,
      hint: 'The session is open again; close it once more.',
    },
    { tx_id: tx.tx_id, ref },
  );
}
