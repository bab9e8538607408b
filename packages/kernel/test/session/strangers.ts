import { dispatchedTurn, type SessionContext } from '@rostra/kernel/session/context';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { runOf, samples } from './message-samples.ts';
import { mayBeSentBy, senders } from './senders.ts';

/** Every kind, with a payload that its rule would take. */
const plausible = Object.entries(samples).map(([kind, sample]) => ({ kind, payload: sample().payload }));

type Disguise = (message: SessionMessage, context: SessionContext) => Partial<Record<keyof SessionMessage, unknown>>;

/** Ways in which a message is none of this session's business. */
const disguises: Disguise[] = [
  () => ({ session_id: 'thread-9' }),
  () => ({ subtype: 'DANCE' }),
  () => ({ event: 'POEM' }),
  () => ({ sender: senders.observer }),
  () => ({ sender: senders['user without a role'] }),
  (_message, context) => ({ sender: { kind: 'session', id: context.session_id } }),
  () => ({ sender: { kind: 'agent', id: 'nobody' }, run_id: 'x.1' }),
  (message) => ({ sender: wrongSender(`${message.event}:${message.subtype}`) }),
];

/** A message that looks as if it were for this session now, but is not: `which` chooses its kind and its disguise. */
export function strangers(context: SessionContext, at: SessionMessage, which: number): SessionMessage {
  const chosen = plausible[which % plausible.length];
  const disguise = disguises[which % disguises.length];
  if (chosen === undefined || disguise === undefined) throw new Error('there is nobody to send');
  const [event, subtype] = chosen.kind.split(':');
  const [tx_id] = Object.keys(context.transactions);
  const right = senders[mayBeSentBy(chosen.kind)[0] ?? ''];
  const sender = right?.kind === 'agent' ? { ...right, id: dispatchedTurn(context)?.target_agent_id ?? 'ada' } : right;
  const message = {
    id: `stranger-${which}`,
    session_id: context.session_id,
    sender,
    target: 'SYSTEM',
    visibility: 'both',
    ts: at.ts,
    seq: 20_000,
    epoch: context.epoch,
    ...runOf(context),
    ...(tx_id !== undefined && { tx_id }),
    event,
    subtype,
    payload: chosen.payload,
  } as SessionMessage;
  // Disguised, it need not be a message of any kind that there is.
  return { ...message, ...disguise(message, context) } as SessionMessage;
}

function wrongSender(kind: string) {
  const right = new Set(mayBeSentBy(kind).map((name) => senders[name]?.kind));
  return Object.values(senders).find((sender) => !right.has(sender.kind));
}
