import type { Clock } from '../../src/session/clock.ts';

/** Time that moves only when it is told to. */
export class ManualClock implements Clock {
  #now = 1_700_000_000_000;
  #timers: { at: number; wake: () => void }[] = [];

  get armed(): number {
    return this.#timers.length;
  }

  now(): number {
    return this.#now;
  }

  at(at: number, wake: () => void): () => void {
    const timer = { at, wake };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  }

  soon(task: () => void): void {
    setImmediate(task);
  }

  /** Wakes everything that is due on the way, in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    this.#now = end;
  }
}
