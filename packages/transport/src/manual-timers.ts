import type { Timers } from './timers.ts';

/** Time that stands still until it is moved: for tests of whatever waits. */
export class ManualTimers implements Timers {
  #now = 0;
  readonly #due = new Set<{ readonly at: number; readonly wake: () => void }>();

  get waiting(): number {
    return this.#due.size;
  }

  after(ms: number, wake: () => void): () => void {
    const entry = { at: this.#now + ms, wake };
    this.#due.add(entry);
    return () => void this.#due.delete(entry);
  }

  /** Wakes what falls due on the way, in its order, also what is set meanwhile. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (let next = this.#nextUntil(until); next !== undefined; next = this.#nextUntil(until)) {
      this.#due.delete(next);
      this.#now = next.at;
      next.wake();
    }
    this.#now = until;
  }

  #nextUntil(until: number) {
    const due = [...this.#due].filter(({ at }) => at <= until);
    return due.reduce((first, entry) => (first === undefined || entry.at < first.at ? entry : first), due.at(0));
  }
}
