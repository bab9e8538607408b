import type { SessionContext } from '@rostra/kernel/session/context';
import type { SessionMessage } from '@rostra/protocol/session/message';

/** One step of a session as somebody sees it who stands beside the driver. */
export interface Observation {
  before: SessionContext;
  message: SessionMessage;
  after: SessionContext;
  publish: readonly SessionMessage[];
  /** Virtual time of the step. */
  at: number;
  /** Place of the message in the log. */
  seq: number;
}

export function hasEffect(seen: Observation): boolean {
  return seen.before !== seen.after || seen.publish.length > 0;
}

export function isShown(message: SessionMessage): boolean {
  return message.target === 'FRONTEND';
}

/** The word under which a turn ended, if this message says that one did. */
export function terminalOf(message: SessionMessage): 'COMPLETED' | 'FAILED' | 'CANCELED' | null {
  if (message.event !== 'EVENT') return null;
  if (message.subtype === 'TURN_COMPLETED') return 'COMPLETED';
  if (message.subtype === 'TURN_FAILED') return 'FAILED';
  return message.subtype === 'CANCELED' ? 'CANCELED' : null;
}

/** What an agent said, as frontends see it: brackets are the session's own. */
export function isForwarded(message: SessionMessage): boolean {
  if (message.event !== 'AGENT_OUTPUT' || message.target !== 'FRONTEND') return false;
  return message.subtype !== 'message.started' && message.subtype !== 'message.ended';
}

/** What a message says piece by piece; anything but a chunk is one piece of nothing. */
export function piecesOf(message: SessionMessage): string[] {
  if (message.event !== 'AGENT_OUTPUT' || message.subtype !== 'chunk') return [''];
  const { text, reasoning, more = [] } = message.payload;
  return [text ?? reasoning ?? '', ...more];
}

/** A turn's input on its way to its agent. */
export function isInput(message: SessionMessage): boolean {
  return message.target === 'AGENT' && (message.event === 'USER_INPUT' || message.subtype === 'HANDOVER_CONTEXT');
}

export function isCancel(message: SessionMessage): boolean {
  return message.target === 'AGENT' && message.event === 'CONTROL' && message.subtype === 'CANCEL';
}
