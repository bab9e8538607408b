import type { AnswerOf, AskedQueryOf, Operation, ParamsOf, SentBodyOf } from '@rostra/protocol/run-api/operation';
import { REQUEST_HEADER } from '@rostra/protocol/run-api/request-header';
import { addressOf } from './address.ts';
import { isBaseUrl, isOfPage } from './base-url.ts';
import { isBearerKey } from './bearer-key.ts';
import { RostraError, refusalOf, unreachable } from './rostra-error.ts';

export interface CallerOptions {
  /** `http://127.0.0.1:8787`; in a page of the host itself it is left out, or the path under which the host is there. */
  readonly baseUrl?: string;
  /** Left out where a cookie says who asks. */
  readonly key?: string;
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

type ParamsPart<O extends Operation> =
  Record<never, never> extends ParamsOf<O> ? { readonly params?: undefined } : { readonly params: ParamsOf<O> };
type QueryPart<O extends Operation> = O extends { query: object } ? { readonly query?: AskedQueryOf<O> } : unknown;
type BodyPart<O extends Operation> = O extends { body: object } ? { readonly body: SentBodyOf<O> } : FilePart<O>;
type FilePart<O extends Operation> = O extends { takes: string }
  ? { readonly body: FormData }
  : { readonly body?: undefined };

/** What one call of an operation brings. */
export type Given<O extends Operation> = ParamsPart<O> & QueryPart<O> & BodyPart<O> & CallOptions;

/** The parts of any call, whatever the operation. */
interface Request extends CallOptions {
  readonly params?: object | undefined;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly accept?: string;
}

/** One way to every operation: builds the request, reads the answer, turns refusals into errors. */
export class Caller {
  readonly #base: string;
  readonly #key: string | null;
  readonly #isHomeless: boolean;
  readonly #fetch: typeof fetch;

  constructor({ baseUrl = '', key, fetch: own }: CallerOptions) {
    if (!isBaseUrl(baseUrl)) {
      throw new TypeError(`baseUrl is no address of a host: ${quoted(baseUrl)}; write it like http://127.0.0.1:8787`);
    }
    this.#base = baseUrl.replace(/\/+$/, '');
    // Keys are read from files, which end with a line.
    this.#key = key?.trim() ?? null;
    if (this.#key !== null && !isBearerKey(this.#key)) {
      throw new TypeError(
        'key is no key of a host: write it as it was shown when it was made, in ASCII and without blanks',
      );
    }
    // Elsewhere than in a page there is no host that goes without saying.
    this.#isHomeless = own === undefined && isOfPage(this.#base) && !('location' in globalThis);
    // Browsers refuse to run fetch as a method of anything else.
    this.#fetch = own ?? ((input, init) => fetch(input, init));
  }

  /** Calls an operation and gives the body of its answer; null where it has none. Refusals throw RostraError. */
  async call<O extends Operation>(operation: O, given: Given<O>): Promise<AnswerOf<O>> {
    // What the host answers is what the operation describes: its own tests hold every answer against the schemas.
    return await bodyOf<AnswerOf<O>>(await this.respond(operation, given), given.signal);
  }

  /** The answer with its head, for streams and bytes. */
  async respond(operation: Operation, request: Request = {}): Promise<Response> {
    const { params, query, body, signal, accept = 'application/json' } = request;
    if (this.#isHomeless) throw new TypeError('baseUrl is missing: outside of a page write http://127.0.0.1:8787');
    // A header that cannot be sent is found here: from fetch it would look as if no host answered.
    const headers = new Headers({ Accept: accept, ...request.headers });
    if (this.#key !== null) headers.set('Authorization', `Bearer ${this.#key}`);
    if (operation.method !== 'GET') headers.set(REQUEST_HEADER, '1');
    const init: RequestInit = { method: operation.method, headers, credentials: 'same-origin' };
    if (signal !== undefined) init.signal = signal;
    if (body instanceof FormData) init.body = body;
    else if (body !== undefined) {
      headers.set('Content-Type', 'application/json');
      init.body = JSON.stringify(body);
    }
    const response = await this.#send(`${this.#base}${addressOf(operation, params, query)}`, init);
    if (response.ok) return response;
    const refusal = await refusalOf(response);
    // Called off in the middle of a refusal, it is not known what the host said.
    signal?.throwIfAborted();
    throw refusal;
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    try {
      return await this.#fetch(url, init);
    } catch (error) {
      init.signal?.throwIfAborted();
      throw unreachable(error);
    }
  }
}

/** A mistake is shown, and not the secret that somebody may have written beside it. */
function quoted(text: string): string {
  return JSON.stringify(text.replace(/\/\/[^/]*@/, '//…@'));
}

async function bodyOf<T>(response: Response, signal: AbortSignal | undefined): Promise<T> {
  let text: string;
  try {
    text = await response.text();
  } catch (error) {
    signal?.throwIfAborted();
    throw unreachable(error);
  }
  try {
    return JSON.parse(text === '' ? 'null' : text);
  } catch (error) {
    throw new RostraError(0, 'runtime_error', 'what answers there is no Rostra host', { cause: error });
  }
}
