import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';

const text = z.string().nullable().default(null);
const flag = z.boolean().default(false);

export const ModelOperation = z.enum(['invoke', 'stream', 'rerank', 'count_tokens']);
export type ModelOperation = z.infer<typeof ModelOperation>;
export const ToolOperation = z.enum(['detail', 'call']);
export type ToolOperation = z.infer<typeof ToolOperation>;
export const KnowledgeOperation = z.enum(['list', 'retrieve']);
export type KnowledgeOperation = z.infer<typeof KnowledgeOperation>;
export const HistoryOperation = z.enum(['page', 'search']);
export type HistoryOperation = z.infer<typeof HistoryOperation>;
export const ArtifactOperation = z.enum(['metadata', 'read']);
export type ArtifactOperation = z.infer<typeof ArtifactOperation>;
/** How far history reaches: the run's own conversation, or all of its actor, bot or workspace. */
export const HistoryScope = z.enum(['conversation', 'actor', 'bot', 'workspace']);
export type HistoryScope = z.infer<typeof HistoryScope>;

/** What is granted has an operation at least: to older runners an empty list means all of them. */
export const ModelResource = z.object({
  model_id: z.string(),
  model_type: text,
  provider: text,
  operations: z.array(ModelOperation).min(1),
  metadata: JsonObject.default({}),
});
export type ModelResource = z.infer<typeof ModelResource>;

export const ToolResource = z.object({
  tool_name: z.string(),
  tool_type: text,
  /** Who provides it. */
  owner: text,
  description: text,
  parameters: Json.default({}),
  operations: z.array(ToolOperation).min(1),
});
export type ToolResource = z.infer<typeof ToolResource>;

export const KnowledgeBaseResource = z.object({
  kb_id: z.string(),
  kb_name: text,
  kb_type: text,
  operations: z.array(KnowledgeOperation).min(1),
});
export type KnowledgeBaseResource = z.infer<typeof KnowledgeBaseResource>;

export const ArtifactResource = z.object({
  artifact_id: z.string(),
  name: text,
  mime_type: z.string(),
  size_bytes: z.number().int().nonnegative(),
  operations: z.array(ArtifactOperation).min(1),
});
export type ArtifactResource = z.infer<typeof ArtifactResource>;

export const StorageResource = z.object({ plugin_storage: flag, workspace_storage: flag, binding_storage: flag });
export type StorageResource = z.infer<typeof StorageResource>;

/** Empty when nothing of history is granted. */
export const HistoryResource = z.object({
  operations: z.array(HistoryOperation).min(1).optional(),
  scope: HistoryScope.optional(),
});
export type HistoryResource = z.infer<typeof HistoryResource>;

/** The grant as the runner sees it: the result of authorisation for one run (RP-5.2). */
export const AgentResources = z.object({
  models: z.array(ModelResource).default([]),
  tools: z.array(ToolResource).default([]),
  knowledge_bases: z.array(KnowledgeBaseResource).default([]),
  artifacts: z.array(ArtifactResource).default([]),
  storage: StorageResource.prefault({}),
  history: HistoryResource.prefault({}),
  platform_capabilities: JsonObject.default({}),
});
export type AgentResources = z.infer<typeof AgentResources>;
