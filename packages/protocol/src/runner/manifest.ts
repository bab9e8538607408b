import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { ArtifactOperation, HistoryOperation, KnowledgeOperation, ModelOperation, ToolOperation } from './resources.ts';

/** A text in several languages, by language tag; `en_US` is the one that is always there in practice. */
export const I18nObject = z.record(z.string(), z.string().max(2000));
export type I18nObject = z.infer<typeof I18nObject>;

export const AgentRunnerCapabilities = z.object({
  streaming: z.boolean().default(false),
  tool_calling: z.boolean().default(false),
  knowledge_retrieval: z.boolean().default(false),
  multimodal_input: z.boolean().default(false),
  event_context: z.boolean().default(true),
  platform_api: z.boolean().default(false),
  interrupt: z.boolean().default(false),
  stateful_session: z.boolean().default(false),
  self_managed_context: z.boolean().default(true),
  skill_authoring: z.boolean().default(false),
  steering: z.boolean().default(false),
  interactions: z.boolean().default(false),
  resumable: z.boolean().default(false),
});
export type AgentRunnerCapabilities = z.infer<typeof AgentRunnerCapabilities>;

export const AgentRunnerPermissions = z.object({
  models: z.array(ModelOperation).default([]),
  tools: z.array(ToolOperation).default([]),
  knowledge_bases: z.array(KnowledgeOperation).default([]),
  history: z.array(HistoryOperation).default([]),
  events: z.array(z.enum(['get', 'page'])).default([]),
  artifacts: z.array(ArtifactOperation).default([]),
  storage: z.array(z.enum(['plugin', 'workspace', 'binding'])).default([]),
  interactions: z.array(z.string()).default([]),
  files: z.array(z.string()).default([]),
  platform_api: z.array(z.string()).default([]),
});
export type AgentRunnerPermissions = z.infer<typeof AgentRunnerPermissions>;

export const BootstrapMode = z.enum(['none', 'current_event', 'recent_tail', 'summary_tail']);
export type BootstrapMode = z.infer<typeof BootstrapMode>;

export const AgentRunnerContextPolicy = z.object({
  ownership: z.enum(['self_managed', 'host_bootstrap', 'hybrid']).default('self_managed'),
  bootstrap: BootstrapMode.default('current_event'),
  max_inline_events: z.number().int().nonnegative().default(0),
  max_inline_bytes: z.number().int().nonnegative().default(0),
  supports_history_pull: z.boolean().default(true),
  supports_history_search: z.boolean().default(false),
  supports_artifact_pull: z.boolean().default(true),
  owns_compaction: z.boolean().default(true),
  wants_static_context_refs: z.boolean().default(true),
});
export type AgentRunnerContextPolicy = z.infer<typeof AgentRunnerContextPolicy>;

/** What a runner says of itself; unknown keys are kept out, not refused (RP-3.2). */
export const AgentRunnerManifest = z.object({
  id: z.string().min(1).max(256),
  name: z.string().min(1).max(128),
  label: I18nObject,
  description: I18nObject.nullable().default(null),
  capabilities: AgentRunnerCapabilities,
  permissions: AgentRunnerPermissions,
  context: AgentRunnerContextPolicy,
  config_schema: z.array(Json).max(200).default([]),
  metadata: JsonObject.default({}),
});
export type AgentRunnerManifest = z.infer<typeof AgentRunnerManifest>;
/** A manifest as its author writes it, before defaults are filled in. */
export type AgentRunnerManifestInput = z.input<typeof AgentRunnerManifest>;

export const ListAgentRunnersResponse = z.object({
  protocol_version: z.string(),
  runners: z.array(Json).max(limits.runners_per_package),
});
export type ListAgentRunnersResponse = z.infer<typeof ListAgentRunnersResponse>;
