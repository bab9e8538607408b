import { hash } from 'node:crypto';
import { RunRule } from '@rostra/protocol/run-api/run-rules';
import {
  FrontendInput,
  FrontendKind,
  type FrontendMessage,
  FrontendSwitch,
} from '@rostra/protocol/run-api/session-api';
import { ControlPayloads } from '@rostra/protocol/session/control';
import type { UserInputPayload } from '@rostra/protocol/session/input';
import { kindOf, type MessageEnvelope, type SessionMessage } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { schemaFault } from '@rostra/protocol/wire/schema-fault';
import type { z } from 'zod';

/** What may stand in a frontend's message beside what its kind needs: where it goes is known, and may be said. */
const keys: ReadonlySet<string> = new Set(['id', 'event', 'subtype', 'payload', 'turn_id', 'tx_id']);

type Envelope = Pick<MessageEnvelope, 'session_id' | 'sender' | 'epoch'>;

/** A message that was checked, and how it becomes one of the session's: who sends it is not for it to say. */
export interface CheckedMessage {
  /** Under which a repeat is known; ids of frontends are apart from those that the host gives. */
  readonly message_id: string;
  readonly payload_hash: string | null;
  stamped(envelope: Envelope, turn_id: string): SessionMessage;
}

function refused(message: string, details: JsonObject = {}): ApiError {
  return new ApiError('invalid_argument', message, { details });
}

/** Somebody writes in another one's name, or into the session's own business (case 34). */
function spoofed(message: string, path: string): ApiError {
  const hint = `Send one of: ${FrontendKind.options.map((kind) => kind.slice(kind.indexOf(':') + 1)).join(', ')}.`;
  return refused(message, { reason: 'spoofed_sender', path, hint });
}

function parsed<S extends z.ZodType>(schema: S, payload: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(payload);
  if (success) return data;
  const { path, sentence } = schemaFault(error, 'payload', ['payload']);
  throw refused(sentence, { path });
}

function userInput(message: FrontendMessage): UserInputPayload {
  const { input, mentioned_agent_id } = parsed(FrontendInput, message.payload);
  const { text, contents = [] } = input;
  const all = [text, ...contents.map((part) => part.text)].join('');
  if (all.length > limits.run_user_text_chars && [...all].length > limits.run_user_text_chars) {
    throw refused(RunRule.userText);
  }
  return {
    input: { text, contents, attachments: [], message_chain: null },
    ...(mentioned_agent_id !== undefined && { mentioned_agent_id }),
    client_message_id: message.id,
    payload_hash: hash('sha256', canonicalJson(message.payload), 'hex'),
    data: {},
  };
}

/** The message as the session takes it; refuses everything that frontends may not send (RA-10.4). */
export function checkFrontendMessage(message: FrontendMessage): CheckedMessage {
  const other = Object.keys(message).find((key) => !keys.has(key));
  if (other !== undefined) throw spoofed(`a message of a frontend has no ${other.slice(0, 64)}`, other.slice(0, 64));
  const kind = FrontendKind.safeParse(kindOf(message));
  if (!kind.success) throw spoofed('frontends may not send this message', 'subtype');
  const message_id = `msg:${message.id}`;
  const about = (to: Envelope) => ({ ...to, id: message_id, target: 'SYSTEM' as const, ts: 0 });
  if (message.event === 'USER_INPUT') {
    const payload = userInput(message);
    if (message.turn_id !== undefined) throw refused('turn_id: the host gives it', { path: 'turn_id' });
    const stamped = (to: Envelope, turn_id: string) => MessageFactory.userInput(payload, { ...about(to), turn_id });
    return { message_id, payload_hash: payload.payload_hash ?? null, stamped };
  }
  const control = controlOf(kind.data, message);
  return { message_id, payload_hash: null, stamped: (to) => control(about(to)) };
}

type About = Parameters<typeof MessageFactory.control>[2];

function controlOf(kind: FrontendKind, message: FrontendMessage): (about: About) => SessionMessage {
  const { payload, turn_id, tx_id } = message;
  switch (kind) {
    case 'CONTROL:CANCEL':
    case 'CONTROL:INTERRUPT': {
      const subtype = kind === 'CONTROL:CANCEL' ? 'CANCEL' : 'INTERRUPT';
      const data = parsed(ControlPayloads.CANCEL, payload);
      const meant = turn_id === undefined ? data : { ...data, turn_id: data.turn_id ?? turn_id };
      return (about) => MessageFactory.control(subtype, meant, about);
    }
    case 'CONTROL:SWITCH_AGENT': {
      const data = parsed(FrontendSwitch, payload);
      return (about) => MessageFactory.control('SWITCH_AGENT', data, about);
    }
    case 'CONTROL:HANDOVER_CONFIRM':
    case 'CONTROL:HANDOVER_REJECT': {
      if (tx_id === undefined) throw refused('tx_id: names the handover that is answered', { path: 'tx_id' });
      if (kind === 'CONTROL:HANDOVER_CONFIRM') {
        return (about) => MessageFactory.control('HANDOVER_CONFIRM', {}, { ...about, tx_id });
      }
      const data = parsed(ControlPayloads.HANDOVER_REJECT, payload);
      return (about) => MessageFactory.control('HANDOVER_REJECT', data, { ...about, tx_id });
    }
    case 'CONTROL:INVITE_AGENT': {
      const data = parsed(ControlPayloads.INVITE_AGENT, payload);
      return (about) => MessageFactory.control('INVITE_AGENT', data, about);
    }
    case 'CONTROL:REMOVE_AGENT': {
      const data = parsed(ControlPayloads.REMOVE_AGENT, payload);
      return (about) => MessageFactory.control('REMOVE_AGENT', data, about);
    }
    case 'CONTROL:SESSION_OPEN': {
      const data = parsed(ControlPayloads.SESSION_OPEN, payload);
      return (about) => MessageFactory.control('SESSION_OPEN', data, about);
    }
    default: {
      const data = parsed(ControlPayloads.SESSION_CLOSE, payload);
      return (about) => MessageFactory.control('SESSION_CLOSE', data, about);
    }
  }
}
