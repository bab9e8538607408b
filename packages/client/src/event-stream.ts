import type { Operation } from '@rostra/protocol/run-api/operation';
import { limits } from '@rostra/protocol/wire/limits';
import type { Caller } from './caller.ts';
import { isAfter } from './event-id.ts';
import { type Frame, FrameReader } from './frame-reader.ts';
import { RostraError, unreachable } from './rostra-error.ts';
import { backoff, pause, type Timing } from './timing.ts';

/** An interruption that is being mended. */
export interface Retry {
  /** Attempts since the last event, from 1 on. */
  readonly attempt: number;
  readonly delay: number;
  readonly error: RostraError;
}

/** The host no longer has the event that was read last: what came after `lastEventId` is void. */
export interface Reset {
  /** Null: all of it is. */
  readonly lastEventId: string | null;
}

export interface StreamOptions {
  /** The id of the last event that is known already; from the start when it is left out. */
  readonly after?: string | null | undefined;
  /** Ends the iteration; nothing is thrown. */
  readonly signal?: AbortSignal | undefined;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  /** A connection stands, the first or after an interruption; nothing may have come over it yet. */
  readonly onOpen?: (() => void) | undefined;
  /** Without it a stream that is reset ends with the host's refusal: nobody could drop what is void. */
  readonly onReset?: ((reset: Reset) => void) | undefined;
  /** How many attempts in a row may fail before the last failure is thrown; without it there is no end to them. */
  readonly attempts?: number | undefined;
}

/** Where a stream is read, and how it is known to be over. */
export interface StreamSource {
  readonly operation: Operation;
  readonly params: object;
  readonly query?: object;
  /** Asked when a response ends in order: whether nothing can follow after this frame. */
  isOver(last: Frame | null, signal: AbortSignal): boolean | Promise<boolean>;
}

/**
 * Events in order, each once, over any number of connections: after a cut it goes on behind the last event that was
 * handed out. Nothing is read ahead beyond one chunk of the network.
 */
export class EventStream<Event> implements AsyncIterable<Event> {
  readonly #caller: Caller;
  readonly #timing: Timing;
  readonly #source: StreamSource;
  readonly #options: StreamOptions;
  #last: string | null;
  #lastFrame: Frame | null = null;

  constructor(caller: Caller, timing: Timing, source: StreamSource, options: StreamOptions = {}) {
    this.#caller = caller;
    this.#timing = timing;
    this.#source = source;
    this.#options = options;
    this.#last = options.after ?? null;
  }

  /** The id of the event that was handed out last: `after` of a stream that goes on from here. */
  get lastEventId(): string | null {
    return this.#last;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    for await (const { data } of this.frames()) {
      // The host writes what the operation describes.
      const event: Event = JSON.parse(data);
      yield event;
    }
  }

  /** The same with ids, and with the bytes of each event as they came. */
  async *frames(): AsyncGenerator<Frame, void> {
    const leaving = new AbortController();
    const leave = () => leaving.abort();
    this.#options.signal?.addEventListener('abort', leave);
    if (this.#options.signal?.aborted) leave();
    try {
      yield* this.#follow(leaving.signal);
    } finally {
      this.#options.signal?.removeEventListener('abort', leave);
      leave();
    }
  }

  async *#follow(signal: AbortSignal): AsyncGenerator<Frame, void> {
    let attempt = 0;
    while (!signal.aborted) {
      let failure = unreachable(new Error('the stream ended early'));
      const before = this.#last;
      const asking = new AbortController();
      const drop = () => asking.abort();
      signal.addEventListener('abort', drop);
      try {
        const reader = await this.#inTime(asking, this.#connect(asking.signal));
        if (reader === null) return;
        this.#options.onOpen?.();
        try {
          for (let frame = await reader.next(); frame !== null; frame = await reader.next()) {
            if (this.#last !== null && !isAfter(frame.id, this.#last)) continue;
            this.#last = frame.id;
            this.#lastFrame = frame;
            yield frame;
            if (signal.aborted) return;
          }
        } finally {
          reader.close();
        }
        if (await this.#inTime(asking, this.#source.isOver(this.#lastFrame, asking.signal))) return;
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof RostraError)) throw error;
        failure = error;
      } finally {
        signal.removeEventListener('abort', drop);
        drop();
      }
      if (this.#isReset(failure)) continue;
      if (this.#last !== before) attempt = 0;
      attempt += 1;
      await this.#wait(failure, attempt, signal);
    }
  }

  /** A host that begins no answer for as long as a stream may say nothing has gone, though its connection stands. */
  async #inTime<T>(asking: AbortController, answer: T | Promise<T>): Promise<T> {
    const late = () => asking.abort(unreachable(new Error('no answer came')));
    const callOff = this.#timing.after(limits.stream_silence, late);
    try {
      return await answer;
    } finally {
      callOff();
    }
  }

  /** Null: the host says that everything was read. */
  async #connect(signal: AbortSignal): Promise<FrameReader | null> {
    const { operation, params, query = {} } = this.#source;
    const response = await this.#caller.respond(operation, {
      params,
      query,
      signal,
      accept: 'text/event-stream',
      headers: this.#last === null ? {} : { 'Last-Event-ID': this.#last },
    });
    return response.status === 204 || response.body === null ? null : new FrameReader(response.body, this.#timing);
  }

  /** Goes back to the last event that the host still has, if somebody was told. */
  #isReset(failure: RostraError): boolean {
    if (failure.reason !== 'cursor_reset') return false;
    const { onReset } = this.#options;
    const { last_event_id } = failure.details;
    const lastEventId = typeof last_event_id === 'string' ? last_event_id : null;
    // A host that names the same place again would keep us in a circle.
    if (onReset === undefined || this.#last === null || lastEventId === this.#last) throw failure;
    this.#last = lastEventId;
    this.#lastFrame = null;
    onReset({ lastEventId });
    return true;
  }

  async #wait(error: RostraError, attempt: number, signal: AbortSignal): Promise<void> {
    const { attempts = Number.POSITIVE_INFINITY, onRetry } = this.#options;
    if (!isPassing(error) || attempt > attempts) throw error;
    const delay = Math.max(backoff(attempt - 1, this.#timing.random()), error.retryAfter ?? 0);
    onRetry?.({ attempt, delay, error });
    await pause(this.#timing, delay, signal);
  }
}

/** Whether another attempt may fare better: no answer, a busy host, or one that is going down or coming up. */
function isPassing({ status }: RostraError): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 500;
}
