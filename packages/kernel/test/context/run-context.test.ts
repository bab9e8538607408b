import { buildRunContext, type RunContextInput, type RunTrigger } from '@rostra/kernel/context/run-context';
import { AgentRunContext } from '@rostra/protocol/runner/run-context';
import type { MessageEnvelope } from '@rostra/protocol/session/message';
import { MessageFactory } from '@rostra/protocol/session/message-factory';
import { describe, expect, test } from 'vitest';

const envelope: MessageEnvelope = {
  id: 'run:r1/0',
  session_id: 'session-1',
  sender: { kind: 'session', id: 'session-1' },
  target: 'AGENT',
  target_id: 'guide',
  turn_id: 'turn-1',
  trace_id: 'trace-1',
  run_id: 'turn-1.1',
  visibility: 'both',
  ts: 1_700_000_000_500,
  seq: 7,
  epoch: 2,
};

const input = { text: 'hello', contents: [], attachments: [], message_chain: null };
const asked = MessageFactory.userInput(
  { input, client_message_id: 'm-1', data: { client_messages: ['x'] } },
  { ...envelope, requested_by: 'owner' },
);
const handedOver = MessageFactory.control(
  'HANDOVER_CONTEXT',
  { from_agent_id: 'guide', reason: 'maps', summary: '', output: 'so far' },
  { ...envelope, target_id: 'scout' },
);

function contextOf(trigger: RunTrigger, change: Partial<RunContextInput> = {}): AgentRunContext {
  return buildRunContext({
    trigger,
    run_id: 'turn-1.1',
    turn_id: 'turn-1',
    trace_id: 'trace-1',
    agent_id: 'guide',
    runner_id: 'plugin:rostra/demo/default',
    workspace_id: 'default',
    config: { persona: 'guide' },
    deadline_at: 1_700_001_800_500,
    ...change,
  });
}

describe.each([
  ['a message', asked],
  ['a handover', handedOver],
])('the context of %s', (_name, trigger) => {
  const context = contextOf(trigger);

  test('is complete: parsing it adds nothing', () => {
    expect(AgentRunContext.parse(context)).toEqual(context);
  });

  test('grants nothing, offers no API and inlines the current event only (CX-2.1)', () => {
    expect(context.resources).toEqual({
      models: [],
      tools: [],
      knowledge_bases: [],
      artifacts: [],
      storage: {},
      history: {},
      platform_capabilities: {},
    });
    expect(Object.values(context.context.available_apis)).toEqual(Array(14).fill(false));
    expect(context.context.inline_policy).toMatchObject({ mode: 'current_event', delivered_count: 1 });
    expect(context).toMatchObject({ bootstrap: null, adapter: null, metadata: {} });
    expect(context).not.toHaveProperty('messages');
  });

  test('names the host, the deadline in seconds and the key of the session', () => {
    expect(context.runtime).toMatchObject({
      host: 'rostra',
      langbot_version: null,
      trace_id: 'trace-1',
      deadline_at: 1_700_001_800.5,
      metadata: { session_key: 'default/-/guide/plugin%3Arostra%2Fdemo%2Fdefault/session-1/-' },
    });
  });

  test('says how an answer is delivered', () => {
    expect(context.delivery).toMatchObject({ surface: 'api', supports_streaming: true, supports_edit: false });
  });

  test('has the configuration of the agent and nothing else of its binding (RP-2.4)', () => {
    expect(context.config).toEqual({ persona: 'guide' });
  });
});

test('a message: its sender acts, the message is the subject, its input is the input', () => {
  const context = contextOf(asked);
  expect(context.trigger).toEqual({ type: 'message.received', source: 'api', timestamp: 1_700_000_000 });
  expect(context.event).toEqual({
    event_id: 'turn-1',
    event_type: 'message.received',
    event_time: 1_700_000_000,
    source: 'api',
    source_event_type: null,
    raw_ref: null,
    data: { client_messages: ['x'] },
  });
  expect(context.actor).toEqual({ actor_type: 'user', actor_id: 'owner', actor_name: null, metadata: {} });
  expect(context.subject).toEqual({ subject_type: 'message', subject_id: 'm-1', data: {} });
  expect(context.conversation).toMatchObject({
    conversation_id: 'session-1',
    workspace_id: 'default',
    thread_id: null,
  });
  expect(context.input).toEqual(input);
});

test('a message whose sender is not known has no actor', () => {
  const { requested_by: _nobody, ...anonymous } = asked;
  expect(contextOf(anonymous).actor).toBeNull();
  expect(contextOf({ ...asked, sender: { kind: 'user', id: 'u1' } }).actor?.actor_id).toBe('u1');
});

test('a handover: the words of the other agent are data, and the input is its summary or reason', () => {
  const context = contextOf(handedOver, { agent_id: 'scout' });
  expect(context.trigger).toMatchObject({ type: 'session.handover', source: 'system' });
  expect(context.event).toMatchObject({
    event_type: 'session.handover',
    data: { from_agent_id: 'guide', reason: 'maps', summary: '', output: 'so far' },
  });
  expect(context.actor).toMatchObject({ actor_type: 'agent', actor_id: 'guide' });
  expect(context.input.text).toBe('maps');
  const summed = { ...handedOver, payload: { ...handedOver.payload, summary: 'the user wants maps' } };
  expect(contextOf(summed).input.text).toBe('the user wants maps');
});
