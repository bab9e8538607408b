import type { Timers } from '@rostra/transport/timers';

/** The pauses of one run. A listener for each of them would cost more than the timer does. */
export class Sleeps {
  readonly #signal: AbortSignal;
  readonly #timers: Timers;
  readonly #interrupts = new Set<() => void>();

  constructor(signal: AbortSignal, timers: Timers) {
    this.#signal = signal;
    this.#timers = timers;
  }

  /** Rejects with the reason of the abort as soon as the run is cancelled. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#signal.throwIfAborted();
      const interrupt = () => {
        stop();
        reject(this.#signal.reason);
      };
      const stop = this.#timers.after(ms, () => {
        this.#interrupts.delete(interrupt);
        resolve();
      });
      this.#interrupts.add(interrupt);
    });
  }

  /** The signal is aborted: nobody sleeps any longer. */
  interrupt(): void {
    for (const interrupt of this.#interrupts) interrupt();
    this.#interrupts.clear();
  }
}
