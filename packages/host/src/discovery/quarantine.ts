import { limits } from '@rostra/protocol/wire/limits';
import { CrashBudget } from './crash-budget.ts';
import type { RunnerClock } from './runner-clock.ts';
import { RunnerStartError } from './runner-start-error.ts';

/** Whether a package may be started, and the sentence that says why not and how to end that. */
export class Quarantine {
  readonly #package: string;
  readonly #clock: RunnerClock;
  readonly #budget = new CrashBudget();
  #why = '';

  constructor(package_name: string, clock: RunnerClock) {
    this.#package = package_name;
    this.#clock = clock;
  }

  get isOn(): boolean {
    return this.#budget.rest(this.#clock.now()) > 0;
  }

  /** What a start is refused with; null while it is not. */
  get refusal(): RunnerStartError | null {
    const rest = this.#budget.rest(this.#clock.now());
    if (rest === 0) return null;
    const hint = `Fix it and run "rostra reload", or wait ${Math.ceil(rest / 1000)} s.`;
    const message = `The runner package ${this.#package} is quarantined. ${this.#why} ${hint}`;
    return new RunnerStartError('runner.quarantined', message, true);
  }

  /** Takes note of a death; it may be one too many. */
  crashed(sentence: string): void {
    if (!this.#budget.crashed(this.#clock.now())) return;
    const { runner_crashes, runner_crashes_window } = limits;
    this.#why = `It died ${runner_crashes} times within ${runner_crashes_window / 1000} s, or again soon after. ${sentence}`;
  }

  impose(sentence: string): void {
    this.#why = sentence;
    this.#budget.quarantine(this.#clock.now());
  }

  end(): void {
    this.#budget.clear();
  }
}
