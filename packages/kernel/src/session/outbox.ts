import type { SessionMessage } from '@rostra/protocol/session/message';
import { isWaitingFor, type SessionContext } from './context.ts';
import { isOpenQuestion } from './question.ts';

/** What is owed to an agent or the SessionManager, until it is answered or its turn or transaction ends. */
export interface Owed {
  turn_id: string | null;
  tx_id: string | null;
  /** The attempt that it was meant for; the next one gets an input of its own. */
  run_id: string | null;
  /** A question is answered, or expires: a new owner loads the session so that it can. */
  interaction_id: string | null;
  /** A turn's input is answered by its acknowledgement, anything else by the end of what it belongs to. */
  input: boolean;
  attempt: number;
}

/** Whether a published message must survive a crash until it is answered; null for what is sent at best effort. */
export function owes(context: SessionContext, message: SessionMessage): Owed | null {
  // Frontends read a prompt in the log; it is owed so that a new owner loads the session and lets it expire (SR-INV-X2).
  const question = message.event === 'EVENT' && message.subtype === 'INTERACTION_OPENED' ? message.payload : null;
  const isPrompt = message.subtype === 'HANDOVER_UI_PROMPT' || question !== null;
  if (message.target !== 'AGENT' && message.target !== 'SYSTEM' && !isPrompt) return null;
  const { tx_id = null, turn_id = null, run_id = null } = message;
  const input = message.event === 'USER_INPUT' || message.subtype === 'HANDOVER_CONTEXT';
  const attempt = message.subtype === 'REQUEST_REMOVE_AGENT' ? message.payload.attempt : 1;
  const interaction_id = question?.interaction_id ?? null;
  const owed = { turn_id, tx_id, run_id, interaction_id, input, attempt };
  return isSettled(context, owed) ? null : owed;
}

export function isSettled(context: SessionContext, owed: Owed): boolean {
  if (owed.interaction_id !== null) return !isOpenQuestion(context, owed.interaction_id);
  const turn = owed.turn_id === null ? undefined : context.inflight[owed.turn_id];
  const isMeant = turn !== undefined && (owed.run_id === null || owed.run_id === turn.run_id);
  if (owed.input) return !isMeant || !isWaitingFor(turn, 'INPUT_ACK');
  if (isMeant) return false;
  const tx = owed.tx_id === null ? undefined : context.transactions[owed.tx_id];
  return tx === undefined || tx.attempt !== owed.attempt;
}
