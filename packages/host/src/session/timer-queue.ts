import type { Clock } from './clock.ts';

/** One OS timer for the deadlines of all sessions of the process. */
export class TimerQueue {
  readonly #clock: Clock;
  readonly #due = new Map<string, number>();
  readonly #wake: (id: string) => void;
  #armed: { at: number; cancel: () => void } | null = null;

  constructor(clock: Clock, wake: (id: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  get size(): number {
    return this.#due.size;
  }

  /**
   * Sets when `id` wants to be woken. A later time than the one set is not worth rearming for: it is woken too early,
   * looks again, and sets the later one then. So a stream of chunks arms nothing.
   */
  set(id: string, at: number | null): void {
    if (at === null) {
      this.#due.delete(id);
      return;
    }
    const before = this.#due.get(id);
    if (before !== undefined && before <= at) return;
    this.#due.set(id, at);
    if (this.#armed === null || at < this.#armed.at) this.#arm(at);
  }

  #arm(at: number): void {
    this.#armed?.cancel();
    this.#armed = { at, cancel: this.#clock.at(at, () => this.#fire()) };
  }

  #fire(): void {
    this.#armed = null;
    const now = this.#clock.now();
    let next = Number.POSITIVE_INFINITY;
    const woken: string[] = [];
    for (const [id, at] of this.#due) {
      if (at <= now) woken.push(id);
      else next = Math.min(next, at);
    }
    for (const id of woken) this.#due.delete(id);
    if (next !== Number.POSITIVE_INFINITY) this.#arm(next);
    for (const id of woken) this.#wake(id);
  }

  clear(): void {
    this.#armed?.cancel();
    this.#armed = null;
    this.#due.clear();
  }
}
