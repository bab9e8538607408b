import type { ApiError } from '@rostra/protocol/wire/api-error';

/** The part of the host's clock that connections to servers need. */
export interface ToolClock {
  now(): number;
  at(at: number, wake: () => void): () => void;
}

/**
 * How long something may take, as a signal. It stands still while a person is asked. Whoever gave it a signal of its
 * own can end it earlier; `release` lets both go.
 */
export class CallLimit {
  readonly #controller = new AbortController();
  readonly #clock: ToolClock;
  readonly #expired: () => ApiError;
  #left: number;
  #since = 0;
  #callOff: (() => void) | null = null;
  #pauses = 0;
  readonly #releases: (() => void)[] = [];

  constructor(clock: ToolClock, ms: number, expired: () => ApiError) {
    this.#clock = clock;
    this.#left = ms;
    this.#expired = expired;
    this.#arm();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends also when this signal does, for that signal's reason if it is a refusal. */
  follow(signal: AbortSignal | undefined, why: (reason: unknown) => ApiError): this {
    if (signal === undefined) return this;
    const end = (): void => this.#controller.abort(why(signal.reason));
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    this.#releases.push(() => signal.removeEventListener('abort', end));
    return this;
  }

  /** What this resolves with, with the time that it takes left out. */
  async outside<T>(wait: () => Promise<T>): Promise<T> {
    this.#pauses += 1;
    if (this.#pauses === 1) this.#halt();
    try {
      return await wait();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#arm();
    }
  }

  /** The same, unless the limit is reached first. */
  async within<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    if (signal.aborted) {
      work.catch(() => undefined);
      throw signal.reason;
    }
    let off: () => void = () => undefined;
    const ended = new Promise<never>((_, reject) => {
      const end = (): void => reject(signal.reason);
      signal.addEventListener('abort', end, { once: true });
      off = () => signal.removeEventListener('abort', end);
    });
    try {
      return await Promise.race([work, ended]);
    } finally {
      off();
    }
  }

  release(): void {
    this.#halt();
    this.#pauses = Number.POSITIVE_INFINITY;
    for (const release of this.#releases) release();
  }

  #arm(): void {
    this.#since = this.#clock.now();
    this.#callOff = this.#clock.at(this.#since + this.#left, () => this.#controller.abort(this.#expired()));
  }

  #halt(): void {
    this.#callOff?.();
    if (this.#callOff !== null) this.#left = Math.max(0, this.#left - (this.#clock.now() - this.#since));
    this.#callOff = null;
  }
}
