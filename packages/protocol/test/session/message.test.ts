import { kindOf, MessageItem, SessionPayloads } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

const envelope = {
  id: 'm1',
  session_id: 'thread-1',
  sender: { kind: 'user' as const, id: 'owner', role: 'owner' as const },
  target: 'SYSTEM' as const,
  ts: 1,
  seq: 2,
  epoch: 1,
};
const input = { text: 'hi', contents: [], attachments: [], message_chain: null };

/** One message by every constructor. */
const made = [
  MessageFactory.userInput({ input, data: {} }, envelope),
  MessageFactory.make('USER_INPUT', 'MENTION', { input, data: {}, mentioned_agent_id: 'a' }, envelope),
  MessageFactory.control('INVITE_AGENT', { agent_id: 'a' }, envelope),
  MessageFactory.event('CANCEL_SENT', { agent_id: 'a' }, envelope),
  MessageFactory.output('chunk', { message_id: 'm', n: 0, text: 'x' }, envelope),
  MessageFactory.error('RUN_FAILED', { code: 'x', message: 'y', retryable: false }, envelope),
  MessageFactory.timer('TX', { tx_id: 'x', gen: 1 }, envelope),
];

describe('MessageFactory', () => {
  it.each(made.map((message) => [kindOf(message), message] as const))(
    'makes %s as its schema accepts it',
    (_, message) => {
      expect(MessageItem.parse(message)).toEqual(message);
      const subtypes: Record<string, z.ZodType> = SessionPayloads[message.event];
      expect(subtypes[message.subtype]?.parse(message.payload)).toEqual(message.payload);
    },
  );

  it('shows a message to everybody unless it is told otherwise', () => {
    expect(MessageFactory.control('INPUT_ACK', {}, envelope).visibility).toBe('both');
    const hidden = MessageFactory.control('INPUT_ACK', {}, { ...envelope, visibility: 'internal' });
    expect(hidden.visibility).toBe('internal');
  });

  it('has a constructor for every event', () => {
    const events = new Set(made.map(({ event }) => event));
    expect([...events].sort()).toEqual(Object.keys(SessionPayloads).sort());
  });
});

describe('MessageItem', () => {
  it.each([
    ['an empty id', { id: '' }],
    ['an id of more than 512 characters', { id: 'x'.repeat(513) }],
    ['a target that there is not', { target: 'EVERYONE' }],
    ['a sender of no kind', { sender: { id: 'x' } }],
    ['a negative epoch', { epoch: -1 }],
    ['a fraction as sequence', { sequence: 0.5 }],
  ])('refuses %s', (_case, wrong) => {
    const [message] = made;
    expect(MessageItem.safeParse({ ...message, ...wrong }).success).toBe(false);
  });

  it('takes an id of 512 characters and leaves out what is optional', () => {
    const [message] = made;
    expect(MessageItem.safeParse({ ...message, id: 'x'.repeat(512), seq: undefined }).success).toBe(true);
  });
});

describe('the payloads', () => {
  const schemas = Object.entries(SessionPayloads).flatMap(([event, subtypes]) =>
    Object.entries(subtypes).map(([subtype, schema]): [string, z.ZodType] => [`${event}:${subtype}`, schema]),
  );

  it.each(schemas)('%s can be said in JSON Schema', (_kind, schema) => {
    expect(() => z.toJSONSchema(schema, { io: 'input' })).not.toThrow();
    expect(() => z.toJSONSchema(schema, { io: 'output' })).not.toThrow();
  });

  it('are named by event and subtype, so that no two kinds share a name', () => {
    const names = schemas.map(([kind]) => kind);
    expect(new Set(names).size).toBe(names.length);
  });
});
