import { limits } from '@rostra/protocol/wire/limits';
import { LiveMap } from '@rostra/transport/live-map';
import type { Timers } from '@rostra/transport/timers';

/** A run that has something to say. */
export interface Speaker {
  readonly id: string;
  /** Lets everything go that it has said so far. */
  send(): void;
}

interface Waiting {
  readonly speaker: Speaker;
  readonly since: number;
}

/** Who has waited less is left for the next time: a run that is over by then needs no line before its last. */
const RIPE = limits.gather / 2;

/**
 * Puts together what runs say faster than anybody reads. A piece that comes after a pause leaves at once; those that
 * follow on its heels leave together, `limits.gather` later at most, and with them those of all other runs that have
 * waited half as long.
 */
export class Gathering {
  readonly #timers: Timers;
  readonly #now: () => number;
  /** The one that has waited longest is the first. */
  readonly #waiting = new LiveMap<string, Waiting>();
  #stop = (): void => undefined;

  constructor(timers: Timers, now: () => number) {
    this.#timers = timers;
    this.#now = now;
  }

  /** No more than one waits: it has nobody to leave with. */
  get isLonely(): boolean {
    return this.#waiting.size <= 1;
  }

  add(speaker: Speaker): void {
    this.#waiting.set(speaker.id, { speaker, since: this.#now() });
    if (this.#waiting.size === 1) this.#wakeAfter(limits.gather);
  }

  /** It leaves by itself. */
  remove(speaker: Speaker): void {
    if (this.#waiting.delete(speaker.id) && this.#waiting.size === 0) this.#stop();
  }

  #wakeAfter(ms: number): void {
    this.#stop = this.#timers.after(ms, () => this.#sendRipe());
  }

  #sendRipe(): void {
    const now = this.#now();
    const ripe: Speaker[] = [];
    for (const { speaker, since } of this.#waiting.values()) {
      const waited = now - since;
      // Less than nothing: somebody has set the clock.
      if (waited >= 0 && waited < RIPE) break;
      ripe.push(speaker);
    }
    for (const { id } of ripe) this.#waiting.delete(id);
    if (this.#waiting.size > 0) this.#wakeAfter(RIPE);
    for (const speaker of ripe) speaker.send();
  }
}
