export type { ApiMethodName } from '@rostra/protocol/api/api-methods';
export type { TranscriptItem } from '@rostra/protocol/api/history';
export type { InteractionOutcome } from '@rostra/protocol/api/interactions';
export type { KnowledgeEntry } from '@rostra/protocol/api/knowledge';
export type { ModelMessage, ModelTool, ModelToolCall, ModelUsage } from '@rostra/protocol/api/models';
export { CHECKPOINT_KEY, CompactionCheckpoint } from '@rostra/protocol/runner/checkpoint';
export { DynamicFormItem } from '@rostra/protocol/runner/config-form';
export type { ModelResource, ToolResource } from '@rostra/protocol/runner/resources';
export type { AgentRunContext } from '@rostra/protocol/runner/run-context';
export type { RunResult } from '@rostra/protocol/runner/run-result';
export type { RunResume } from '@rostra/protocol/runner/run-resume';
export { buildToolsPrompt } from '@rostra/protocol/runner/tools-prompt';
export { type AgentInput, type ArtifactRef, ContentElement } from '@rostra/protocol/session/input';
export { ApiError } from '@rostra/protocol/wire/api-error';
export { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';
export type { CapabilityReason, RunFailure } from '@rostra/protocol/wire/reason';
export type { CallOptions } from './api-caller.ts';
export type { ApiStream } from './api-stream.ts';
export type { Content } from './content.ts';
export {
  completed,
  failed,
  isTerminal,
  message,
  reasoning,
  text,
  toolCompleted,
  toolFailed,
  toolStarted,
} from './result.ts';
export { resumed } from './resume.ts';
export type { RunApi } from './run-api.ts';
export type { RunSpawnOptions } from './run-processes.ts';
export {
  defineRunner,
  type Question,
  type RunFunction,
  type Runner,
  type RunnerDefinition,
  type RunTools,
} from './runner.ts';
export { type ServeOptions, serve } from './serve.ts';
export { toolsPrompt } from './tools-prompt.ts';
export type { NewArtifact } from './transfers.ts';
