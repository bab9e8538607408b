import type { z } from 'zod';
import type { ApiMethod } from './api-method.ts';
import { ArtifactsApi } from './artifacts.ts';
import { EventsApi } from './events.ts';
import { HistoryApi } from './history.ts';
import { InteractionsApi } from './interactions.ts';
import { KnowledgeApi } from './knowledge.ts';
import { ModelsApi } from './models.ts';
import { PlatformApi } from './platform.ts';
import { PromptApi } from './prompt.ts';
import { RunsApi } from './runs.ts';
import { StateApi } from './state.ts';
import { SteeringApi } from './steering.ts';
import { StorageApi } from './storage.ts';
import { ToolsApi } from './tools.ts';

/** Every call that a runner can make of its host, by its name on the wire. Which of them a run may make is its grant. */
export const apiMethods = {
  ...ModelsApi,
  ...ToolsApi,
  ...KnowledgeApi,
  ...HistoryApi,
  ...EventsApi,
  ...ArtifactsApi,
  ...StateApi,
  ...StorageApi,
  ...SteeringApi,
  ...PromptApi,
  ...InteractionsApi,
  ...PlatformApi,
  ...RunsApi,
} satisfies Record<string, ApiMethod>;

export type ApiMethods = typeof apiMethods;
export type ApiMethodName = keyof ApiMethods;

export function isApiMethod(name: string): name is ApiMethodName {
  return Object.hasOwn(apiMethods, name);
}

export const apiMethodNames: readonly ApiMethodName[] = Object.keys(apiMethods).filter(isApiMethod);

/** Those whose answer comes in pieces. */
export type ApiStreamName = {
  [M in ApiMethodName]: ApiMethods[M] extends { stream: z.ZodType } ? M : never;
}[ApiMethodName];

/** What a caller gives: everything but its run, which is known. */
export type ApiParams<M extends ApiMethodName> = Omit<z.input<ApiMethods[M]['params']>, 'run_id'>;
/** What its service gets: checked, with what was left out filled in. */
export type ApiCheckedParams<M extends ApiMethodName> = z.output<ApiMethods[M]['params']>;
export type ApiResult<M extends ApiMethodName> = z.output<ApiMethods[M]['result']>;
export type ApiChunk<M extends ApiStreamName> = z.output<ApiMethods[M]['stream']>;
