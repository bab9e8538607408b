import type { ModelClock } from './model-clock.ts';

/**
 * Ends a call whose provider says nothing for too long. Every byte counts as a word, also those that keep a connection
 * alive: a model may think for long. While the caller is not ready to listen, nobody is waited for.
 */
export class Silence {
  readonly #controller = new AbortController();
  readonly #clock: ModelClock;
  readonly #most: number;
  readonly #expired: () => Error;
  readonly #outer: AbortSignal;
  #heard = 0;
  #callOff: (() => void) | null = null;

  constructor(clock: ModelClock, most: number, outer: AbortSignal, expired: () => Error) {
    this.#clock = clock;
    this.#most = most;
    this.#outer = outer;
    this.#expired = expired;
    if (outer.aborted) this.#end();
    else outer.addEventListener('abort', this.#end, { once: true });
    this.resume();
  }

  /** Aborted by too much silence or by the caller, whichever comes first. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  heard(): void {
    this.#heard = this.#clock.now();
  }

  pause(): void {
    this.#callOff?.();
    this.#callOff = null;
  }

  resume(): void {
    this.heard();
    if (this.#callOff === null && !this.signal.aborted) this.#wait();
  }

  /** Ends the call for another reason. */
  end(reason: Error): void {
    this.pause();
    this.#controller.abort(reason);
  }

  release(): void {
    this.pause();
    this.#outer.removeEventListener('abort', this.#end);
  }

  readonly #end = (): void => this.end(this.#outer.reason);

  /** One timer for many words: it looks when the last one was and goes on waiting for the rest. */
  #wait(): void {
    this.#callOff = this.#clock.at(this.#heard + this.#most, () => {
      this.#callOff = null;
      if (this.#clock.now() - this.#heard < this.#most) this.#wait();
      else this.#controller.abort(this.#expired());
    });
  }
}
