import {
  type ApiChunk,
  type ApiMethodName,
  type ApiParams,
  type ApiResult,
  type ApiStreamName,
  apiMethods,
} from '@rostra/protocol/api/api-methods';
import type { ApiCaller, CallOptions } from './api-caller.ts';
import type { ApiStream } from './api-stream.ts';

type FamilyOf<M> = M extends `${infer F}.${string}` ? F : never;
type Given<P> =
  Record<never, never> extends P ? [params?: P, options?: CallOptions] : [params: P, options?: CallOptions];
type Answer<M extends ApiMethodName> = M extends ApiStreamName
  ? ApiStream<ApiChunk<M>, ApiResult<M>>
  : Promise<ApiResult<M>>;

/** The host's calls, by family: `api.history.page({ limit: 20 })`. */
export type RunCalls = {
  readonly [F in FamilyOf<ApiMethodName>]: {
    readonly [M in ApiMethodName as M extends `${F}.${infer Name}` ? Name : never]: (
      ...given: Given<ApiParams<M>>
    ) => Answer<M>;
  };
};

type AnyCall = (params?: object, options?: CallOptions) => unknown;

/** One function per method of the table; a method that is added there is here. */
export function runCalls(caller: ApiCaller): RunCalls {
  const families: Record<string, Record<string, AnyCall>> = {};
  for (const [method, definition] of Object.entries(apiMethods)) {
    const [family = '', name = ''] = method.split('.');
    families[family] ??= {};
    families[family][name] =
      'stream' in definition
        ? (params = {}, options) => caller.stream(method, definition, params, options)
        : (params = {}, options) => caller.call(method, definition, params, options);
  }
  return families as RunCalls;
}
