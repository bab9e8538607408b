import type { MessageEnvelope, MessageOf, PayloadOf, SessionEvent, SessionMessage, SubtypeOf } from './message.ts';

type Rest = Omit<MessageEnvelope, 'visibility'> & { visibility?: MessageEnvelope['visibility'] };

/**
 * One constructor for every (event, subtype); the compiler checks that payload and kind belong together (SR-I.3). Every
 * message gets the same fields in the same order, absent ones as undefined: objects of one shape are ten times cheaper.
 */
function make<E extends SessionEvent, S extends SubtypeOf<E>>(
  event: E,
  subtype: S,
  payload: PayloadOf<E, S>,
  envelope: Rest,
): MessageOf<E, S> & SessionMessage {
  const message: MessageOf<E, S> = {
    id: envelope.id,
    session_id: envelope.session_id,
    sender: envelope.sender,
    target: envelope.target,
    target_id: envelope.target_id,
    turn_id: envelope.turn_id,
    requested_by: envelope.requested_by,
    trace_id: envelope.trace_id,
    tx_id: envelope.tx_id,
    run_id: envelope.run_id,
    sequence: envelope.sequence,
    visibility: envelope.visibility ?? 'both',
    metadata: envelope.metadata,
    ts: envelope.ts,
    epoch: envelope.epoch,
    payload_of: envelope.payload_of,
    transcript_end: envelope.transcript_end,
    event,
    subtype,
    payload,
  };
  if (envelope.seq !== undefined) message.seq = envelope.seq;
  // The compiler cannot see that a member picked by two type parameters is a member of the union.
  return message as MessageOf<E, S> & SessionMessage;
}

export const MessageFactory = {
  make,
  userInput: (payload: PayloadOf<'USER_INPUT', 'INPUT'>, envelope: Rest) =>
    make('USER_INPUT', 'INPUT', payload, envelope),
  control: <S extends SubtypeOf<'CONTROL'>>(subtype: S, payload: PayloadOf<'CONTROL', S>, envelope: Rest) =>
    make('CONTROL', subtype, payload, envelope),
  event: <S extends SubtypeOf<'EVENT'>>(subtype: S, payload: PayloadOf<'EVENT', S>, envelope: Rest) =>
    make('EVENT', subtype, payload, envelope),
  output: <S extends SubtypeOf<'AGENT_OUTPUT'>>(subtype: S, payload: PayloadOf<'AGENT_OUTPUT', S>, envelope: Rest) =>
    make('AGENT_OUTPUT', subtype, payload, envelope),
  error: <S extends SubtypeOf<'ERROR'>>(subtype: S, payload: PayloadOf<'ERROR', S>, envelope: Rest) =>
    make('ERROR', subtype, payload, envelope),
  timer: <S extends SubtypeOf<'TIMER'>>(subtype: S, payload: PayloadOf<'TIMER', S>, envelope: Rest) =>
    make('TIMER', subtype, payload, envelope),
};
