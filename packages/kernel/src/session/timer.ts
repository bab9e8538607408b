import type { MessageOf, SubtypeOf } from '@rostra/protocol/session/message';
import { own, type Turn, type Waiting } from './context.ts';
import { idleUntil } from './deadlines.ts';
import type { Draft } from './draft.ts';
import { interactionExpired } from './interaction.ts';
import { questionExpired } from './question.ts';
import { resolveHandover } from './roster.ts';
import { cancelTimedOut } from './transactions/cancel.ts';
import { closeFailed } from './transactions/close.ts';
import { inviteFailed } from './transactions/invite.ts';
import { openFailed } from './transactions/open.ts';
import { removeFailed } from './transactions/remove.ts';
import { abandonRun, endTurn, terminateRun } from './turn.ts';

type TurnTimer = Exclude<SubtypeOf<'TIMER'>, 'TX'>;

/** The expiry of a deadline. A generation that is not armed any more, or an instant not yet reached, has no effect. */
export function onTurnTimer(d: Draft, message: MessageOf<'TIMER', TurnTimer>): void {
  const turn = own(d.context.inflight, message.payload.turn_id);
  if ('interaction_id' in message.payload && questionExpired(d, message.payload)) return;
  if (turn === undefined) return;
  const { gen } = message.payload;
  if (message.subtype === 'IDLE' || message.subtype === 'TURN') {
    if (turn.gen === gen && turn.cancel === null && turn.paused_at === null) outOfTime(d, turn, message.subtype);
    return;
  }
  const armed = turn.waiting.find((waiting) => waiting.for === message.subtype && waiting.gen === gen);
  if (armed?.until !== null && armed !== undefined && d.ts >= armed.until) waitedTooLong(d, turn, armed);
}

function waitedTooLong(d: Draft, turn: Turn, waiting: Waiting): void {
  if (waiting.for === 'INPUT_ACK') routeTimedOut(d, turn);
  if (waiting.for === 'CANCEL_ACK') cancelTimedOut(d, turn);
  if (waiting.for === 'INTERACTION' && waiting.interaction_id !== undefined) {
    interactionExpired(d, turn, waiting.interaction_id);
  }
  if (waiting.for === 'QUEUE') {
    const message = 'the turn waited too long for its place';
    endTurn(d, turn, { status: 'FAILED', code: 'QUEUE_TIMEOUT', message, retryable: true });
  }
}

function routeTimedOut(d: Draft, turn: Turn): void {
  const message = 'the agent did not take the input in time';
  const code = 'deadline_exceeded' as const;
  d.error('ROUTE_TIMEOUT', { reason: 'ROUTE_TIMEOUT', code, message, retryable: true }, { turn, ref: turn.turn_id });
  abandonRun(d, turn, 'route timeout');
  endTurn(d, turn, { status: 'FAILED', code: 'ROUTE_TIMEOUT', message, retryable: true });
}

function outOfTime(d: Draft, turn: Turn, kind: 'IDLE' | 'TURN'): void {
  const until = kind === 'IDLE' ? idleUntil(d.context, turn) : turn.turn_until;
  if (until === null || d.ts < until) return;
  const message = kind === 'IDLE' ? 'the agent gave no sign of life' : 'the turn took longer than it may';
  abandonRun(d, turn, 'deadline exceeded');
  terminateRun(d, turn);
  endTurn(d, turn, { status: 'FAILED', code: 'deadline_exceeded', message, retryable: kind === 'IDLE' });
}

export function onTxTimer(d: Draft, message: MessageOf<'TIMER', 'TX'>): void {
  const tx = own(d.context.transactions, message.payload.tx_id);
  if (tx === undefined || tx.gen !== message.payload.gen || d.ts < tx.until) return;
  const error = { code: 'deadline_exceeded' as const, message: 'the SessionManager did not answer in time' };
  if (tx.kind === 'INVITE') inviteFailed(d, tx, error);
  if (tx.kind === 'REMOVE') removeFailed(d, tx, error.message);
  if (tx.kind === 'OPEN') openFailed(d, tx, error);
  if (tx.kind === 'CLOSE') closeFailed(d, tx, error);
  if (tx.kind === 'HANDOVER') resolveHandover(d, tx, tx.step === 'PROMPTED' ? 'timeout' : 'aborted');
}
