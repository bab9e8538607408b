import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnswerOf, BodyOf, Operation, ParamsOf, QueryOf } from '@rostra/protocol/run-api/operation';
import type { Principal } from '../session/session-gateway.ts';

/** One call of an operation: who asks was proved, what is asked was parsed by the operation's own schemas. */
export interface ApiCall<O extends Operation> {
  readonly principal: Principal;
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

export interface ApiAnswer<Body> {
  readonly status: number;
  /** Null: there is none. */
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An operation and who serves it. A handler that answers by itself, with a stream or bytes, gives `answered`. */
export interface ApiRoute {
  readonly operation: Operation;
  serve(call: ApiCall<Operation>): Promise<ApiAnswer<unknown> | 'answered'>;
}

/** Ties a handler to its operation; the compiler sees that both speak of the same parameters, body and answers. */
export function route<O extends Operation>(
  operation: O,
  serve: (call: ApiCall<O>) => Promise<ApiAnswer<AnswerOf<O>> | 'answered'>,
): ApiRoute {
  // The router parses by the schemas of this very operation before it calls.
  return { operation, serve: serve as ApiRoute['serve'] };
}
