import type { Call } from '@rostra/kernel/grant/check-call';
import type {
  ApiCheckedParams,
  ApiChunk,
  ApiMethodName,
  ApiResult,
  ApiStreamName,
} from '@rostra/protocol/api/api-methods';
import type { ActiveRun } from '../orchestrator/run-charter.ts';

export type CheckedParams<M extends ApiMethodName> = ApiCheckedParams<M>;

/** A call that is being served. */
export interface ServedCall {
  /** Aborted when the run is over or its runner gives the call up: nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** One method of one family. The gate asks `asks`, decides by the grant, and only then calls `serve`. */
export interface ApiService<M extends ApiMethodName> {
  /** What is asked for, as far as the grant goes; where the thing lies that it names is looked up here. */
  asks(params: CheckedParams<M>, run: ActiveRun): Call | Promise<Call>;
  /**
   * Throws an ApiError to refuse. `push` sends a piece, where the method answers in pieces: it resolves when the runner
   * takes another one, and rejects when it wants no more.
   */
  serve(
    params: CheckedParams<M>,
    run: ActiveRun,
    push: M extends ApiStreamName ? (chunk: ApiChunk<M>) => Promise<void> : never,
    call: ServedCall,
  ): Promise<ApiResult<M>>;
}

/** The methods that one file serves. */
export type ApiFamily<M extends ApiMethodName> = { readonly [K in M]: ApiService<K> };
/** All that this host serves; what is missing is refused as not granted. */
export type ApiServices = { readonly [K in ApiMethodName]?: ApiService<K> };
