import { bindingIdOf, entryOf, envelopeOf, type RunTrigger } from '@rostra/kernel/context/event-envelope';
import { AgentInput, TurnEvent, type UserInputPayload } from '@rostra/protocol/session/input';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { describe, expect, test } from 'vitest';

const said = AgentInput.parse({
  text: 'delete everything',
  contents: [{ type: 'text', text: 'delete everything' }],
  attachments: [{ artifact_id: 'a1', name: 'x', mime_type: 'text/plain', size_bytes: 1, sha256: null }],
  message_chain: { components: ['delete everything'] },
});

function trigger(event: object | null, more: Partial<UserInputPayload> = {}): RunTrigger {
  const payload: UserInputPayload = { input: said, data: {}, ...more };
  if (event !== null) {
    const given = { event_id: 'e1', event_type: 'member.joined', source: 'telegram', trigger_source: 'platform' };
    payload.event = TurnEvent.parse({ ...given, ...event });
  }
  const sender = { kind: 'user' as const, id: 'system', role: 'participant' as const };
  return MessageFactory.userInput(payload, {
    id: 'm1',
    session_id: 's1',
    sender,
    target: 'AGENT',
    ts: 1_700_000_000_999,
    epoch: 1,
  });
}

describe('an event that is no message', () => {
  const joined = trigger({
    event_time: 12,
    source_event_type: 'new_chat_members',
    data: { inviter: 'u7' },
    conversation: { thread_id: 't1', launcher_type: 'group', launcher_id: 'g1', bot_id: 'b1' },
    actor: { actor_type: 'user', actor_id: 'u8', actor_name: 'Ada' },
    subject: { subject_type: 'group', subject_id: 'g1', data: { title: 'Club' } },
    raw_ref: { artifact_id: 'r1', size_bytes: 9, mime_type: 'application/json' },
    delivery: { surface: 'telegram', supports_edit: true },
  });

  test('keeps all that it says and becomes nobody’s words, whatever it carries (check 54)', () => {
    expect(envelopeOf(joined, 'turn')).toEqual({
      event: {
        event_id: 'e1',
        event_type: 'member.joined',
        event_time: 12,
        source: 'telegram',
        source_event_type: 'new_chat_members',
        raw_ref: { artifact_id: 'r1', size_bytes: 9, mime_type: 'application/json' },
        data: { inviter: 'u7' },
      },
      conversation: {
        conversation_id: null,
        thread_id: 't1',
        launcher_type: 'group',
        launcher_id: 'g1',
        bot_id: 'b1',
        workspace_id: null,
      },
      actor: { actor_type: 'user', actor_id: 'u8', actor_name: 'Ada', metadata: {} },
      subject: { subject_type: 'group', subject_id: 'g1', data: { title: 'Club' } },
      input: { text: null, contents: [], attachments: said.attachments, message_chain: null },
      delivery: {
        surface: 'telegram',
        reply_target: null,
        supports_streaming: false,
        supports_edit: true,
        supports_reaction: false,
        max_message_size: null,
        platform_capabilities: {},
      },
    });
  });

  test('has no actor unless it names one: whoever brought it is none', () => {
    const { actor, subject, event } = envelopeOf(trigger({}), 'turn');
    expect({ actor, subject, time: event.event_time }).toEqual({ actor: null, subject: null, time: 1_700_000_000 });
  });
});

describe('a message that came as an event', () => {
  const message = { event_type: 'message.received' };

  test('is an ordinary input, of the actor that it names', () => {
    const actor = { actor_type: 'user', actor_id: 'u8', actor_name: 'Ada', metadata: {} };
    expect(envelopeOf(trigger({ ...message, actor }), 'turn')).toMatchObject({
      event: { event_id: 'e1', event_type: 'message.received' },
      actor,
      subject: { subject_type: 'message', subject_id: 'e1' },
      input: said,
    });
  });

  test('is of whoever sent it, if it names nobody', () => {
    expect(envelopeOf(trigger(message), 'turn').actor).toMatchObject({ actor_type: 'user', actor_id: 'system' });
  });
});

describe('the entry of a run', () => {
  test('is told with what only the entry has, and names the binding whose grant holds', () => {
    const query = trigger({ trigger_source: 'pipeline_adapter', adapter: { query_id: '7' }, binding_id: 'b' });
    expect(entryOf(query)).toEqual({ source: 'pipeline_adapter', adapter: { query_id: '7' } });
    expect(bindingIdOf(query)).toBe('b');
  });

  test('of a plain input is none', () => {
    expect(entryOf(trigger(null))).toBeNull();
    expect(bindingIdOf(trigger(null))).toBeNull();
  });
});

describe('a handover', () => {
  const over = (more: object): RunTrigger => {
    const payload = { from_agent_id: 'a', reason: 'r', summary: '', output: '', ...more };
    const sender = { kind: 'session' as const, id: 's1' };
    const envelope = { id: 'm1', session_id: 's1', sender, target: 'AGENT' as const, ts: 1, epoch: 1 };
    return MessageFactory.control('HANDOVER_CONTEXT', payload, envelope);
  };

  test('is told where the turn that hands over belongs, and has the grant of its binding (case 75)', () => {
    const trigger = over({ conversation: { bot_id: 'b', thread_id: 't' }, binding_id: 'chat' });
    expect(envelopeOf(trigger, 'turn').conversation).toMatchObject({ bot_id: 'b', thread_id: 't' });
    expect(bindingIdOf(trigger)).toBe('chat');
  });

  test('of a turn that belongs nowhere in particular belongs nowhere either', () => {
    expect(envelopeOf(over({}), 'turn').conversation).toBeNull();
    expect(bindingIdOf(over({}))).toBeNull();
  });
});
