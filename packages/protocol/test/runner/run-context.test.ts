import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  ActorContext,
  AgentEventContext,
  AgentRunContext,
  AgentRunState,
  BootstrapContext,
  ContextAccess,
  ConversationContext,
  DeliveryContext,
  SubjectContext,
} from '../../src/runner/run-context.ts';

const least = {
  run_id: 'r1',
  trigger: { type: 'message.received', source: 'api' },
  event: { event_id: 'e1', event_type: 'message.received', source: 'api' },
  input: { text: 'hello' },
  delivery: { surface: 'api' },
  resources: {},
  context: { inline_policy: { mode: 'current_event' }, available_apis: {} },
  state: {},
  runtime: { host: 'rostra', trace_id: 't1' },
};

describe('a run context', () => {
  it('is whole with its required fields, and has defaults for the others', () => {
    expect(AgentRunContext.parse(least)).toMatchObject({
      conversation: null,
      actor: null,
      subject: null,
      config: {},
      bootstrap: null,
      adapter: null,
      metadata: {},
    });
  });

  it.each(Object.keys(least))('without %s is none', (field) => {
    expect(AgentRunContext.safeParse({ ...least, [field]: undefined }).success).toBe(false);
  });
});

const flags = ['history_page', 'history_search', 'event_get', 'event_page', 'artifact_metadata', 'artifact_read'];

/** Each part with no more than it must have, and what it is then. */
const parts: [string, z.ZodType, Record<string, unknown>, Record<string, unknown>][] = [
  [
    'an event',
    AgentEventContext,
    least.event,
    { event_time: null, source_event_type: null, raw_ref: null, data: {}, ...least.event },
  ],
  [
    'a conversation',
    ConversationContext,
    {},
    {
      conversation_id: null,
      thread_id: null,
      launcher_type: null,
      launcher_id: null,
      bot_id: null,
      workspace_id: null,
    },
  ],
  [
    'an actor',
    ActorContext,
    { actor_type: 'user' },
    { actor_type: 'user', actor_id: null, actor_name: null, metadata: {} },
  ],
  ['a subject', SubjectContext, { subject_type: 'message' }, { subject_type: 'message', subject_id: null, data: {} }],
  [
    'the delivery',
    DeliveryContext,
    { surface: 'api' },
    {
      surface: 'api',
      reply_target: null,
      supports_streaming: false,
      supports_edit: false,
      supports_reaction: false,
      max_message_size: null,
      platform_capabilities: {},
    },
  ],
  [
    'the context access',
    ContextAccess,
    least.context,
    {
      conversation_id: null,
      thread_id: null,
      latest_cursor: null,
      event_seq: null,
      transcript_seq: null,
      has_history_before: false,
      inline_policy: {
        mode: 'current_event',
        delivered_count: 0,
        source_total_count: null,
        messages_complete: false,
        reason: null,
      },
      available_apis: expect.objectContaining(
        Object.fromEntries([...flags, 'state', 'storage'].map((name) => [name, false])),
      ),
    },
  ],
  ['the state', AgentRunState, {}, { conversation: {}, actor: {}, subject: {}, runner: {}, binding: {} }],
  ['a bootstrap', BootstrapContext, {}, { messages: [], summary: null, artifacts: [], metadata: {} }],
];

describe('the parts of a run context', () => {
  it.each(parts)('%s has a default for all that may be absent, and for nothing else', (_name, schema, given, whole) => {
    expect(schema.parse(given)).toEqual(whole);
    for (const field of Object.keys(given)) {
      expect(schema.safeParse({ ...given, [field]: undefined }).success).toBe(false);
    }
  });
});
