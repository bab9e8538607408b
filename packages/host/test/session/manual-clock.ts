import type { Clock } from '../../src/session/clock.ts';

/** Time that stands still until a test moves it. */
export class ManualClock implements Clock {
  #now = 1_700_000_000_000;
  #timers: { at: number; wake: () => void }[] = [];
  #tasks: (() => void)[] = [];

  now(): number {
    return this.#now;
  }

  /** Timers that wait. */
  get armed(): number {
    return this.#timers.length;
  }

  at(at: number, wake: () => void): () => void {
    const timer = { at, wake };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  soon(task: () => void): void {
    this.#tasks.push(task);
  }

  /** Runs what is to run now. */
  settle(): void {
    for (let task = this.#tasks.shift(); task !== undefined; task = this.#tasks.shift()) task();
  }

  /** Moves on, firing timers on the way in their order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    this.settle();
    for (;;) {
      const next = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
      this.settle();
    }
    this.#now = end;
  }
}
