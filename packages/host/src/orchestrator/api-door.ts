import type { ApiMethodName } from '@rostra/protocol/api/api-methods';
import type { Json } from '@rostra/protocol/wire/json';
import type { ActiveRun } from './run-charter.ts';

/** One proxied call as it came in on a connection. */
export interface IncomingCall {
  readonly method: ApiMethodName;
  readonly params: Json | undefined;
  /** Length of the line that it came on. */
  readonly bytes: number;
  /** The live run that the call names, if it was dispatched on this very connection; null otherwise. */
  readonly run: ActiveRun | null;
  /** Which runner package is connected: the caller's identity, whatever the call says. */
  readonly caller: string;
  /** The run was this connection's, and is over. */
  readonly was_live?: boolean;
  /** Sends a piece of an answer that comes in pieces; resolves when there is room for another one. */
  readonly push: (chunk: Json) => Promise<void>;
  /** Aborted when the runner gives this call up; left out where it cannot. */
  readonly given_up?: AbortSignal;
}

/** Where a runner's calls of its host arrive. An ApiError that it rejects with is the refusal which the runner sees. */
export interface ApiDoor {
  call(call: IncomingCall): Promise<unknown>;
}
