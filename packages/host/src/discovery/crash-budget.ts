import { limits } from '@rostra/protocol/wire/limits';

/**
 * How often the processes of a package may die, so that one that dies at once cannot make the host spin. Whatever dies
 * again soon after its quarantine is back in it, for twice as long.
 */
export class CrashBudget {
  #crashes: number[] = [];
  #until = 0;
  #times = 0;

  /** Milliseconds of quarantine that are left. */
  rest(now: number): number {
    return Math.max(0, this.#until - now);
  }

  /** Takes note of a death; true if it was one too many. */
  crashed(now: number): boolean {
    if (this.#times > 0 && now - this.#until < limits.runner_crashes_window) return this.quarantine(now);
    this.#times = 0;
    this.#crashes = this.#crashes.filter((crash) => now - crash < limits.runner_crashes_window);
    this.#crashes.push(now);
    return this.#crashes.length >= limits.runner_crashes ? this.quarantine(now) : false;
  }

  quarantine(now: number): true {
    this.#until = now + Math.min(limits.runner_quarantine * 2 ** this.#times, limits.runner_quarantine_max);
    this.#times += 1;
    this.#crashes = [];
    return true;
  }

  clear(): void {
    this.#crashes = [];
    this.#until = 0;
    this.#times = 0;
  }
}
