import type { AgentRunContext } from '@rostra/runner-sdk';

interface Asked {
  readonly config?: AgentRunContext['config'];
  readonly locale?: string;
  readonly apis?: Partial<AgentRunContext['context']['available_apis']>;
}

/** A context as a host sends it for one text message, with nothing granted unless told. */
export function runContext(text: string | null, { config = {}, locale, apis = {} }: Asked = {}): AgentRunContext {
  return {
    run_id: 'run-1',
    trigger: { type: 'message.received', source: 'api', timestamp: null },
    event: {
      event_id: 'event-1',
      event_type: 'message.received',
      event_time: null,
      source: 'api',
      source_event_type: null,
      raw_ref: null,
      data: {},
    },
    conversation: null,
    actor: null,
    subject: null,
    input: { text, contents: [], attachments: [], message_chain: null },
    delivery: {
      surface: 'api',
      reply_target: null,
      supports_streaming: true,
      supports_edit: false,
      supports_reaction: false,
      max_message_size: null,
      platform_capabilities: {},
    },
    resources: {
      models: [],
      tools: [],
      knowledge_bases: [],
      artifacts: [],
      storage: {},
      history: {},
      platform_capabilities: {},
    },
    context: { ...access, available_apis: { ...access.available_apis, ...apis } },
    state: { conversation: {}, actor: {}, subject: {}, runner: {}, binding: {} },
    runtime: {
      host: 'rostra',
      langbot_version: null,
      trace_id: 'trace',
      deadline_at: null,
      locale: locale ?? null,
      timezone: null,
      static_refs: {},
      metadata: {},
    },
    config,
    bootstrap: null,
    adapter: null,
    metadata: {},
  };
}

const access: AgentRunContext['context'] = {
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
  available_apis: {
    history_page: false,
    history_search: false,
    event_get: false,
    event_page: false,
    artifact_metadata: false,
    artifact_read: false,
    state: false,
    storage: false,
    prompt_get: false,
    steering_pull: false,
    run_get: false,
    run_list: false,
    run_events_page: false,
    run_cancel: false,
  },
};
