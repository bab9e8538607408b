export type { AgentRunContext } from '@rostra/protocol/runner/run-context';
export type { RunResult } from '@rostra/protocol/runner/run-result';
export type { Json } from '@rostra/protocol/wire/json';
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
export { defineRunner, type RunFunction, type Runner, type RunnerDefinition, type RunTools } from './runner.ts';
export { type ServeOptions, serve } from './serve.ts';
