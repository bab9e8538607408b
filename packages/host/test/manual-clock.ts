import type { Clock } from '../src/session/clock.ts';

/** Time that passes when a test says so. */
export class ManualClock implements Clock {
  #now = 1_700_000_000_000;
  readonly #timers = new Set<{ at: number; wake: () => void }>();

  get armed(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#now;
  }

  at(at: number, wake: () => void): () => void {
    const timer = { at, wake };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  soon(task: () => void): void {
    setImmediate(task);
  }

  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    this.#now = end;
  }
}
