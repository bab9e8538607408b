import { envelopeOf, type RunTrigger } from '@rostra/kernel/context/event-envelope';
import { identitiesOf } from '@rostra/kernel/context/event-identity';
import { AgentInput, TurnEvent, type UserInputPayload } from '@rostra/protocol/session/input';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { expect, test } from 'vitest';

const envelope = { id: 'm1', target: 'AGENT' as const, ts: 1, epoch: 1 };

function said(payload: Partial<UserInputPayload>, session_id = 's1', id = 'key:bridge'): RunTrigger {
  const sender = { kind: 'user' as const, id, role: 'owner' as const };
  return MessageFactory.userInput(
    { input: AgentInput.parse({ text: 'hi' }), data: {}, ...payload },
    { ...envelope, session_id, sender },
  );
}

function told(event: object, session_id = 's1'): RunTrigger {
  const given = { event_id: 'e', event_type: 'message.received', source: 'telegram', trigger_source: 'platform' };
  return said({ event: TurnEvent.parse({ ...given, ...event }) }, session_id);
}

const of = (trigger: RunTrigger) => identitiesOf(trigger, envelopeOf(trigger, 'turn'));
const actor = (actor_id: string) => ({ actor: { actor_type: 'user', actor_id } });
const subject = (subject_type: string, subject_id = '7') => ({ subject: { subject_type, subject_id } });

test('whom the host knows is known by that name, in whatever way it speaks', () => {
  expect(of(said({})).actor_id).toBe('key:bridge');
  expect(of(told({})).actor_id).toBe('key:bridge');
  expect(of(told(actor('key:bridge'))).actor_id).toBe('key:bridge');
});

test('two platforms may name their people alike: they are not the same', () => {
  const ids = [told(actor('7')), told({ ...actor('7'), source: 'discord' }), said({}, 's1', '7')].map(of);
  expect(new Set(ids.map(({ actor_id }) => actor_id)).size).toBe(3);
  expect(of(told(actor('7'), 's2')).actor_id).toBe(ids[0]?.actor_id);
});

test('an agent that hands over is no person of its name', () => {
  const payload = { from_agent_id: 'guide', reason: 'r', summary: 's', output: '' };
  const sender = { kind: 'session' as const, id: 's1' };
  const handover = MessageFactory.control('HANDOVER_CONTEXT', payload, { ...envelope, session_id: 's1', sender });
  const claimed = ['system', 'agent', 'guide'].map((source) => of(told({ ...actor('guide'), source })).actor_id);
  expect(claimed).not.toContain(of(handover).actor_id);
});

test('a message is named within its conversation, and only there', () => {
  const mine = of(said({ client_message_id: 'msg-1' }, 's1', 'key:a'));
  expect(of(said({ client_message_id: 'msg-1' }, 's1', 'key:a'))).toEqual(mine);
  expect(of(said({ client_message_id: 'msg-1' }, 's2', 'key:b')).subject_id).not.toBe(mine.subject_id);
  expect(of(said({})).subject_id).toBeNull();
});

test('a subject of another kind or platform is another one, and the same in every conversation', () => {
  const group = told(subject('group'));
  const others = [told(subject('webhook')), told({ ...subject('group'), source: 'discord' }), told(subject('message'))];
  for (const other of others) expect(of(other).subject_id).not.toBe(of(group).subject_id);
  expect(of(told(subject('group'), 's2')).subject_id).toBe(of(group).subject_id);
  expect(of(told(subject('message'), 's2')).subject_id).not.toBe(of(told(subject('message'))).subject_id);
});
