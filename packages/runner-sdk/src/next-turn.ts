import type { Timers } from '@rostra/transport/timers';

/** The next turn of the event loop: one for all runs that wait for it. */
export class NextTurn {
  readonly #timers: Timers;
  #comes: Promise<void> | null = null;

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  comes(): Promise<void> {
    this.#comes ??= new Promise((resolve) => {
      this.#timers.after(0, () => {
        this.#comes = null;
        resolve();
      });
    });
    return this.#comes;
  }
}
