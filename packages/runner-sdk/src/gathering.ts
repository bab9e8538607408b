import { limits } from '@rostra/protocol/wire/limits';
import type { Timers } from '@rostra/transport/timers';

/** A run that has something to say. */
export interface Speaker {
  /** Lets everything go that it has said so far. */
  send(): void;
}

/**
 * Puts together what runs say faster than anybody reads. A piece that comes after a pause leaves at once; those that
 * follow on its heels leave together, `limits.gather` later at most, and so do those of all other runs that wait then.
 */
export class Gathering {
  readonly #timers: Timers;
  readonly #waiting = new Set<Speaker>();
  #stop = (): void => undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** No more than one waits: it has nobody to leave with. */
  get isLonely(): boolean {
    return this.#waiting.size <= 1;
  }

  add(speaker: Speaker): void {
    this.#waiting.add(speaker);
    if (this.#waiting.size === 1) this.#stop = this.#timers.after(limits.gather, () => this.#sendAll());
  }

  /** It leaves by itself. */
  remove(speaker: Speaker): void {
    if (this.#waiting.delete(speaker) && this.#waiting.size === 0) this.#stop();
  }

  #sendAll(): void {
    const speakers = [...this.#waiting];
    this.#waiting.clear();
    for (const speaker of speakers) speaker.send();
  }
}
