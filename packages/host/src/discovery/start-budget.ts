import { limits } from '@rostra/protocol/wire/limits';

/** How often a process may be started, so that one that dies at once cannot make the host spin. */
export class StartBudget {
  #starts: number[] = [];

  /** Takes one start, or says when the next one is possible. */
  take(now: number): { wait: number } | null {
    this.#starts = this.#starts.filter((start) => now - start < limits.runner_starts_window);
    const [oldest] = this.#starts;
    if (oldest !== undefined && this.#starts.length >= limits.runner_starts) {
      return { wait: oldest + limits.runner_starts_window - now };
    }
    this.#starts.push(now);
    return null;
  }
}
