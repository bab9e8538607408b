export type { ApiMethodName } from '@rostra/protocol/api/api-methods';
export type { TranscriptItem } from '@rostra/protocol/api/history';
export type { InteractionOutcome } from '@rostra/protocol/api/interactions';
export type { AgentRunContext } from '@rostra/protocol/runner/run-context';
export type { RunResult } from '@rostra/protocol/runner/run-result';
export type { RunResume } from '@rostra/protocol/runner/run-resume';
export { ApiError } from '@rostra/protocol/wire/api-error';
export type { Json } from '@rostra/protocol/wire/json';
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
