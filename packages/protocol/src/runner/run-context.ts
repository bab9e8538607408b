import { z } from 'zod';
import { AgentInput, ArtifactRef } from '../session/input.ts';
import { Json, JsonObject } from '../wire/json.ts';
import { BootstrapMode } from './manifest.ts';
import { AgentResources } from './resources.ts';

const text = z.string().nullable().default(null);

export const AgentTrigger = z.object({
  type: z.string(),
  source: z.enum(['platform', 'webui', 'api', 'scheduler', 'system', 'pipeline_adapter', 'host_adapter']),
  timestamp: z.number().int().nullable().default(null),
});
export type AgentTrigger = z.infer<typeof AgentTrigger>;

export const RawEventRef = z.object({ artifact_id: z.string(), size_bytes: z.number().int(), mime_type: z.string() });
export type RawEventRef = z.infer<typeof RawEventRef>;

export const AgentEventContext = z.object({
  event_id: z.string(),
  event_type: z.string(),
  event_time: z.number().int().nullable().default(null),
  source: z.string(),
  source_event_type: text,
  raw_ref: RawEventRef.nullable().default(null),
  data: JsonObject.default({}),
});
export type AgentEventContext = z.infer<typeof AgentEventContext>;

export const ConversationContext = z.object({
  conversation_id: text,
  thread_id: text,
  launcher_type: text,
  launcher_id: text,
  bot_id: text,
  workspace_id: text,
});
export type ConversationContext = z.infer<typeof ConversationContext>;

export const ActorContext = z.object({
  actor_type: z.string(),
  actor_id: text,
  actor_name: text,
  metadata: JsonObject.default({}),
});
export type ActorContext = z.infer<typeof ActorContext>;

export const SubjectContext = z.object({ subject_type: z.string(), subject_id: text, data: JsonObject.default({}) });
export type SubjectContext = z.infer<typeof SubjectContext>;

export const DeliveryContext = z.object({
  surface: z.string(),
  reply_target: JsonObject.nullable().default(null),
  supports_streaming: z.boolean().default(false),
  supports_edit: z.boolean().default(false),
  supports_reaction: z.boolean().default(false),
  max_message_size: z.number().int().nullable().default(null),
  platform_capabilities: JsonObject.default({}),
});
export type DeliveryContext = z.infer<typeof DeliveryContext>;

/** An event on its way into the host: what a run is made from, whatever its entry was (RP-11.2). */
export const AgentEventEnvelope = z.object({
  event: AgentEventContext,
  conversation: ConversationContext.nullable().default(null),
  actor: ActorContext.nullable().default(null),
  subject: SubjectContext.nullable().default(null),
  input: AgentInput.nullable().default(null),
  delivery: DeliveryContext.nullable().default(null),
});
export type AgentEventEnvelope = z.infer<typeof AgentEventEnvelope>;

export const InlineContextPolicy = z.object({
  mode: BootstrapMode,
  delivered_count: z.number().int().default(0),
  source_total_count: z.number().int().nullable().default(null),
  messages_complete: z.boolean().default(false),
  reason: text,
});
export type InlineContextPolicy = z.infer<typeof InlineContextPolicy>;

const flag = z.boolean().default(false);
export const ContextAPICapabilities = z.object({
  history_page: flag,
  history_search: flag,
  event_get: flag,
  event_page: flag,
  artifact_metadata: flag,
  artifact_read: flag,
  state: flag,
  storage: flag,
  prompt_get: flag,
  steering_pull: flag,
  run_get: flag,
  run_list: flag,
  run_events_page: flag,
  run_cancel: flag,
});
export type ContextAPICapabilities = z.infer<typeof ContextAPICapabilities>;

/** What was inlined, what was not, and by which calls the rest can be had (RP-4.8, CX-3). */
export const ContextAccess = z.object({
  conversation_id: text,
  thread_id: text,
  latest_cursor: text,
  event_seq: z.number().int().nullable().default(null),
  transcript_seq: z.number().int().nullable().default(null),
  has_history_before: z.boolean().default(false),
  inline_policy: InlineContextPolicy,
  available_apis: ContextAPICapabilities,
});
export type ContextAccess = z.infer<typeof ContextAccess>;

export const AgentRunState = z.object({
  conversation: JsonObject.default({}),
  actor: JsonObject.default({}),
  subject: JsonObject.default({}),
  runner: JsonObject.default({}),
  binding: JsonObject.default({}),
});
export type AgentRunState = z.infer<typeof AgentRunState>;

export const StaticContextRef = z.object({ ref: z.string(), version: z.string(), hash: z.string() });
export type StaticContextRef = z.infer<typeof StaticContextRef>;

export const AgentRuntimeContext = z.object({
  host: z.string(),
  langbot_version: text,
  trace_id: z.string(),
  deadline_at: z.number().nullable().default(null),
  locale: text,
  timezone: text,
  static_refs: z.record(z.string(), StaticContextRef).default({}),
  metadata: JsonObject.default({}),
});
export type AgentRuntimeContext = z.infer<typeof AgentRuntimeContext>;

export const BootstrapContext = z.object({
  messages: z.array(Json).default([]),
  summary: text,
  artifacts: z.array(ArtifactRef).default([]),
  metadata: JsonObject.default({}),
});
export type BootstrapContext = z.infer<typeof BootstrapContext>;

/** What one run receives: the event, its input, its grant and the handles to pull more. Never history by default. */
export const AgentRunContext = z.object({
  run_id: z.string(),
  trigger: AgentTrigger,
  event: AgentEventContext,
  conversation: ConversationContext.nullable().default(null),
  actor: ActorContext.nullable().default(null),
  subject: SubjectContext.nullable().default(null),
  input: AgentInput,
  delivery: DeliveryContext,
  resources: AgentResources,
  context: ContextAccess,
  state: AgentRunState,
  runtime: AgentRuntimeContext,
  config: JsonObject.default({}),
  bootstrap: BootstrapContext.nullable().default(null),
  adapter: JsonObject.nullable().default(null),
  metadata: JsonObject.default({}),
});
export type AgentRunContext = z.infer<typeof AgentRunContext>;
