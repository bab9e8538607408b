import type { AgentRunContext } from '@rostra/protocol/runner/run-context';
import type { AgentInput } from '@rostra/protocol/session/input';
import type { MessageOf } from '@rostra/protocol/session/message';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { HOST_NAME } from '@rostra/protocol/wire/method';

/** The two messages that begin a run: a person's input, and the context that another agent hands over. */
export type RunTrigger = MessageOf<'USER_INPUT', 'INPUT'> | MessageOf<'CONTROL', 'HANDOVER_CONTEXT'>;

export interface RunContextInput {
  trigger: RunTrigger;
  run_id: string;
  turn_id: string;
  trace_id: string;
  agent_id: string;
  runner_id: string;
  workspace_id: string;
  /** Configuration of the agent, as it is; the rest of its binding stays in the host (RP-2.4). */
  config: JsonObject;
  /** Milliseconds, like every instant inside the host. */
  deadline_at: number;
}

type Cause = Pick<AgentRunContext, 'event' | 'actor' | 'subject' | 'input'> & {
  source: AgentRunContext['trigger']['source'];
};

/** The wire counts seconds. */
function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function eventOf({ trigger, turn_id }: RunContextInput, event_type: string, source: string, data: JsonObject) {
  const event_time = seconds(trigger.ts);
  return { event_id: turn_id, event_type, event_time, source, source_event_type: null, raw_ref: null, data };
}

function actorOf(trigger: MessageOf<'USER_INPUT', 'INPUT'>): AgentRunContext['actor'] {
  // The session passes the input on in its own name and says whose it was.
  const requested_by = trigger.sender.kind === 'user' ? trigger.sender.id : trigger.requested_by;
  if (requested_by === undefined) return null;
  return { actor_type: 'user', actor_id: requested_by, actor_name: null, metadata: {} };
}

function userInput(input: RunContextInput, trigger: MessageOf<'USER_INPUT', 'INPUT'>): Cause {
  const { payload } = trigger;
  return {
    source: 'api',
    event: eventOf(input, 'message.received', 'api', payload.data),
    actor: actorOf(trigger),
    subject: { subject_type: 'message', subject_id: payload.client_message_id ?? null, data: {} },
    input: payload.input,
  };
}

/** What another agent left stands in the event as data; only its own words become the input, and no prose is made. */
function handover(input: RunContextInput, trigger: MessageOf<'CONTROL', 'HANDOVER_CONTEXT'>): Cause {
  const { from_agent_id, reason, summary, output } = trigger.payload;
  const text = summary !== '' ? summary : reason;
  const words: AgentInput = { text, contents: [], attachments: [], message_chain: null };
  return {
    source: 'system',
    event: eventOf(input, 'session.handover', 'system', { from_agent_id, reason, summary, output }),
    actor: { actor_type: 'agent', actor_id: from_agent_id, actor_name: null, metadata: {} },
    subject: { subject_type: 'session', subject_id: trigger.session_id, data: {} },
    input: words,
  };
}

/** Where a runner may keep what belongs together. Each part is escaped, so that two keys are never equal by chance. */
function sessionKey(input: RunContextInput): string {
  const { workspace_id, agent_id, runner_id, trigger } = input;
  const parts = [workspace_id, null, agent_id, runner_id, trigger.session_id, null];
  return parts.map((part) => (part === null ? '-' : encodeURIComponent(part))).join('/');
}

const noResources: AgentRunContext['resources'] = {
  models: [],
  tools: [],
  knowledge_bases: [],
  artifacts: [],
  storage: {},
  history: {},
  platform_capabilities: {},
};

const noApis: AgentRunContext['context']['available_apis'] = {
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
};

function contextAccess(input: RunContextInput): AgentRunContext['context'] {
  return {
    conversation_id: input.trigger.session_id,
    thread_id: null,
    latest_cursor: null,
    event_seq: input.trigger.seq ?? null,
    transcript_seq: null,
    has_history_before: false,
    inline_policy: {
      mode: 'current_event',
      delivered_count: 1,
      source_total_count: null,
      messages_complete: false,
      reason: null,
    },
    available_apis: noApis,
  };
}

/** What one run receives: the event, its input, its grant and its handles, and no history (RP-4.3, CX-2.1). */
export function buildRunContext(input: RunContextInput): AgentRunContext {
  const { trigger, run_id, trace_id, workspace_id, config, deadline_at } = input;
  const { source, ...cause } = trigger.event === 'USER_INPUT' ? userInput(input, trigger) : handover(input, trigger);
  return {
    run_id,
    trigger: { type: cause.event.event_type, source, timestamp: cause.event.event_time },
    ...cause,
    conversation: {
      conversation_id: trigger.session_id,
      thread_id: null,
      launcher_type: null,
      launcher_id: null,
      bot_id: null,
      workspace_id,
    },
    delivery: {
      surface: 'api',
      reply_target: null,
      supports_streaming: true,
      supports_edit: false,
      supports_reaction: false,
      max_message_size: null,
      platform_capabilities: {},
    },
    resources: noResources,
    context: contextAccess(input),
    state: { conversation: {}, actor: {}, subject: {}, runner: {}, binding: {} },
    runtime: {
      host: HOST_NAME,
      langbot_version: null,
      trace_id,
      deadline_at: deadline_at / 1000,
      locale: null,
      timezone: null,
      static_refs: {},
      metadata: { session_key: sessionKey(input) },
    },
    config,
    bootstrap: null,
    adapter: null,
    metadata: {},
  };
}
