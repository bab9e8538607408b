import type { MessageEnvelope, MessageOf, PayloadOf, SessionEvent, SessionMessage, SubtypeOf } from './message.ts';

type Rest = Omit<MessageEnvelope, 'visibility'> & { visibility?: MessageEnvelope['visibility'] };

/** One constructor for every (event, subtype); the compiler checks that payload and kind belong together (SR-I.3). */
function make<E extends SessionEvent, S extends SubtypeOf<E>>(
  event: E,
  subtype: S,
  payload: PayloadOf<E, S>,
  envelope: Rest,
): MessageOf<E, S> & SessionMessage {
  // The compiler cannot see that a member picked by two type parameters is a member of the union.
  const message: MessageOf<E, S> = { visibility: 'both', ...envelope, event, subtype, payload };
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
