import type { SessionContext } from '@rostra/kernel/session/context';
import type { Deadline } from '@rostra/kernel/session/deadlines';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';

/** The expiry of a deadline as a message: it goes through the mailbox and into the log like any other (SR-D7). */
export function timerMessage(context: SessionContext, deadline: Deadline): SessionMessage {
  const { kind, gen, turn_id, tx_id, interaction_id } = deadline;
  const envelope = {
    id: `timer:${kind}:${tx_id ?? turn_id}:${gen}`,
    session_id: context.session_id,
    sender: { kind: 'driver' as const, id: 'driver' },
    target: 'SYSTEM' as const,
    visibility: 'internal' as const,
    ts: deadline.at,
    epoch: context.epoch,
  };
  if (kind === 'TX') return MessageFactory.timer('TX', { tx_id: tx_id ?? '', gen }, envelope);
  const turn = { turn_id: turn_id ?? '', gen };
  if (kind !== 'INTERACTION') return MessageFactory.timer(kind, turn, envelope);
  return MessageFactory.timer('INTERACTION', { ...turn, interaction_id: interaction_id ?? '' }, envelope);
}
