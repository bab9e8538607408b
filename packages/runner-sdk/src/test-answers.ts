import type { ApiChunk, ApiMethodName, ApiParams, ApiResult, ApiStreamName } from '@rostra/protocol/api/api-methods';

type Awaitable<T> = T | Promise<T>;

/** How the test answers the calls of a run: by method, with a function of the params. */
export type ApiAnswers = {
  [M in ApiMethodName]?: (
    params: ApiParams<M>,
    send: M extends ApiStreamName ? (chunk: ApiChunk<M>) => void : never,
  ) => Awaitable<ApiResult<M>>;
};
