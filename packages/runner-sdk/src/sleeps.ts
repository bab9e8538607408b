import type { Timers } from '@rostra/transport/timers';
import type { NextTurn } from './next-turn.ts';
import type { RunAbort } from './run-abort.ts';

interface Sleeper {
  readonly reject: (reason: unknown) => void;
  stop: () => void;
  /** Its place among the others. */
  at: number;
}

/** The pauses of one run. A listener for each of them would cost more than the timer does. */
export class Sleeps {
  readonly #abort: RunAbort;
  readonly #timers: Timers;
  readonly #turn: NextTurn;
  #sleepers: Sleeper[] = [];

  constructor(abort: RunAbort, timers: Timers, turn: NextTurn) {
    this.#abort = abort;
    this.#timers = timers;
    this.#turn = turn;
  }

  /** Rejects with the reason of the abort as soon as the run is cancelled. */
  sleep(ms: number): Promise<void> {
    return ms === 0 ? this.#pass() : this.#wait(ms);
  }

  /** It is over before a cancel could end it. */
  async #pass(): Promise<void> {
    this.#abort.throwIfAborted();
    await this.#turn.comes();
    this.#abort.throwIfAborted();
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#abort.throwIfAborted();
      const at = this.#sleepers.length;
      const stop = this.#timers.after(ms, () => {
        this.#forget(sleeper);
        resolve();
      });
      const sleeper = { reject, stop, at };
      this.#sleepers.push(sleeper);
    });
  }

  /** The run is cancelled: nobody sleeps any longer. */
  interrupt(): void {
    const sleepers = this.#sleepers;
    this.#sleepers = [];
    for (const { stop, reject } of sleepers) {
      stop();
      reject(this.#abort.signal.reason);
    }
  }

  /** The last takes the place that becomes free. */
  #forget({ at }: Sleeper): void {
    const last = this.#sleepers.pop();
    if (last === undefined || last.at === at) return;
    last.at = at;
    this.#sleepers[at] = last;
  }
}
