import { limits } from '@rostra/protocol/wire/limits';
import { LiveMap } from '@rostra/transport/live-map';
import type { Timers } from '@rostra/transport/timers';

/** A run that has something to say. */
export interface Speaker {
  readonly id: string;
  /** Lets everything go that it has said so far. */
  send(): void;
}

/**
 * Puts together what runs say faster than anybody reads. A piece that comes after a pause leaves at once; those that
 * follow on its heels leave together, `limits.gather` later at most, and so do those of all other runs that wait then.
 */
export class Gathering {
  readonly #timers: Timers;
  readonly #waiting = new LiveMap<string, Speaker>();
  #stop = (): void => undefined;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** No more than one waits: it has nobody to leave with. */
  get isLonely(): boolean {
    return this.#waiting.size <= 1;
  }

  add(speaker: Speaker): void {
    this.#waiting.set(speaker.id, speaker);
    if (this.#waiting.size === 1) this.#stop = this.#timers.after(limits.gather, () => this.#sendAll());
  }

  /** It leaves by itself. */
  remove(speaker: Speaker): void {
    if (this.#waiting.delete(speaker.id) && this.#waiting.size === 0) this.#stop();
  }

  #sendAll(): void {
    const speakers = [...this.#waiting.values()];
    for (const { id } of speakers) this.#waiting.delete(id);
    for (const speaker of speakers) speaker.send();
  }
}
