import type { ApiMethod } from '@rostra/protocol/api/api-method';
import type { ApiMethodName } from '@rostra/protocol/api/api-methods';
import { availableApiOf } from '@rostra/protocol/api/available-apis';
import type { AgentRunContext } from '@rostra/protocol/runner/run-context';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { RequestOptions } from '@rostra/transport/pending-requests';
import { ApiStream, type CallStreams } from './api-stream.ts';
import { issueOf } from './issue.ts';

export interface CallOptions {
  /** Milliseconds; never longer than the call's own cap and what is left of the run. */
  readonly timeout?: number;
  /** Gives this one call up; a cancel of the run gives up all of them. */
  readonly signal?: AbortSignal;
}

export interface CallerWorld {
  request(method: string, params: unknown, options: RequestOptions): Promise<Json>;
  notify(method: string, params: unknown): void;
  readonly streams: CallStreams;
  /** Milliseconds since 1970. */
  now(): number;
}

/** In these a person may be waited for, or a client that runs a tool of its own: how long is the host's to say. */
const openEnded: ReadonlySet<string> = new Set<ApiMethodName>(['interactions.wait', 'tools.call']);
const caps: Readonly<Record<string, number>> = { models: limits.api_call_model };

function isOpenEnded(method: string): boolean {
  return openEnded.has(method);
}

/**
 * Makes the proxied calls of one run: each carries its id (RP-7.1), ends with it, and is waited for no longer than the
 * run's deadline (RP-9.2). What can be seen to be wrong here is refused here; the host checks all of it again.
 */
export class ApiCaller {
  readonly #context: AgentRunContext;
  readonly #signal: AbortSignal;
  readonly #world: CallerWorld;
  /** Time in which this run waited for people, which is none of its own (SR-D49). */
  #waited = 0;
  #waits = 0;
  #waitsSince = 0;

  constructor(context: AgentRunContext, signal: AbortSignal, world: CallerWorld) {
    this.#context = context;
    this.#signal = signal;
    this.#world = world;
  }

  async call(method: string, definition: ApiMethod, params: object, options: CallOptions = {}): Promise<unknown> {
    const request = this.#prepare(method, definition, params, options);
    const over = isOpenEnded(method) ? this.#waiting() : null;
    let id: number | undefined;
    const onId = (given: number) => {
      id = given;
    };
    try {
      const answer = await this.#world.request(method, request.params, { ...request.options, onId });
      return valid(method, definition.result.safeParse(answer));
    } catch (error) {
      const isLate = error instanceof ApiError && error.code === 'deadline_exceeded';
      if (request.options.signal.aborted || isLate) this.#giveUp(id);
      throw error;
    } finally {
      over?.();
    }
  }

  /** Whatever is done for a call that nobody waits for any more can stop. */
  #giveUp(id: number | undefined): void {
    if (id !== undefined) this.#world.notify('CALL_CANCEL', { id });
  }

  /** The clock of the run stands still until the last wait is over. */
  #waiting(): () => void {
    if (this.#waits === 0) this.#waitsSince = this.#world.now();
    this.#waits += 1;
    return () => {
      this.#waits -= 1;
      if (this.#waits === 0) this.#waited += this.#world.now() - this.#waitsSince;
    };
  }

  /** A stream that cannot even be asked for fails like one that breaks: when it is read. */
  stream(
    method: string,
    definition: ApiMethod & Required<Pick<ApiMethod, 'stream'>>,
    params: object,
    options: CallOptions = {},
  ): ApiStream<unknown, unknown> {
    const give = new AbortController();
    const { streams } = this.#world;
    return new ApiStream<unknown, unknown>({
      open: async (push) => {
        const request = this.#prepare(method, definition, params, options);
        const signal = AbortSignal.any([request.options.signal, give.signal]);
        let id: number | undefined;
        const onId = (given: number) => {
          id = given;
          streams.open(given, (chunk) => push(valid(method, definition.stream.safeParse(chunk))));
        };
        try {
          const answer = await this.#world.request(method, request.params, { ...request.options, signal, onId });
          return valid(method, definition.result.safeParse(answer));
        } catch (error) {
          if (signal.aborted) this.#giveUp(id);
          throw error;
        } finally {
          if (id !== undefined) streams.close(id);
        }
      },
      giveUp: () => give.abort(),
    });
  }

  #prepare(method: string, { params: schema, stream }: ApiMethod, params: object, { timeout, signal }: CallOptions) {
    this.#signal.throwIfAborted();
    this.#refuseClosed(method);
    const left = this.#timeLeft(method, stream !== undefined, timeout);
    const parsed = schema.safeParse({ ...params, run_id: this.#context.run_id });
    if (!parsed.success) throw new ApiError('invalid_argument', `${method}: ${issueOf(parsed.error)}`);
    const signals = signal === undefined ? [this.#signal] : [this.#signal, signal];
    return {
      params: parsed.data,
      options: { signal: AbortSignal.any(signals), ...(Number.isFinite(left) ? { timeout: left } : {}) },
    };
  }

  #refuseClosed(method: string): void {
    const flags: Readonly<Record<string, keyof AgentRunContext['context']['available_apis']>> = availableApiOf;
    const flag = flags[method];
    if (flag === undefined || this.#context.context.available_apis[flag]) return;
    throw new ApiError('unauthorized', `This run may not call ${method}: available_apis.${flag} is false.`, {
      details: { hint: 'Ask for it in the permissions of the manifest, and let the agent’s grants allow it.' },
    });
  }

  #timeLeft(method: string, isStream: boolean, timeout = Number.POSITIVE_INFINITY): number {
    const { deadline_at } = this.#context.runtime;
    const [family = ''] = method.split('.');
    const isOpen = isOpenEnded(method);
    // A person may take their time, and so may an answer that comes in pieces; the host says when it is up.
    const cap = Math.min(timeout, isOpen || isStream ? Number.POSITIVE_INFINITY : (caps[family] ?? limits.api_call));
    if (deadline_at === null) return cap;
    const now = this.#waits === 0 ? this.#world.now() : this.#waitsSince;
    const left = Math.ceil(deadline_at * 1000 + this.#waited - now);
    if (left > 0) return isOpen ? cap : Math.min(cap, left);
    throw new ApiError('deadline_exceeded', `The deadline of the run has passed; ${method} was not called.`);
  }
}

type Outcome = { success: true; data: unknown } | { success: false; error: Parameters<typeof issueOf>[0] };

function valid(method: string, outcome: Outcome): unknown {
  if (outcome.success) return outcome.data;
  throw new ApiError('runtime_error', `The host answered ${method} with something else: ${issueOf(outcome.error)}`);
}
