import { limits } from '@rostra/protocol/wire/limits';
import type { RunnerLogEntry } from '../../discovery/runner-log.ts';
import { Scrubber } from './scrubber.ts';

/** A line as it is kept: what was known to be secret is not in it. */
export interface KeptLine {
  /** Counts the lines of its runner. */
  readonly n: number;
  readonly at: number;
  readonly kind: RunnerLogEntry['kind'];
  readonly text: string;
}

/** The last lines of each runner, in memory: for whoever looks at a runner without a look into the log. */
export class RunnerLines {
  readonly #now: () => number;
  readonly #scrubber = new Scrubber();
  readonly #lines = new Map<string, KeptLine[]>();
  readonly #counts = new Map<string, number>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  add({ runner, kind, text }: RunnerLogEntry): void {
    let lines = this.#lines.get(runner);
    if (lines === undefined) {
      if (this.#lines.size >= limits.runner_lines_runners) return;
      lines = [];
      this.#lines.set(runner, lines);
    }
    const n = (this.#counts.get(runner) ?? 0) + 1;
    this.#counts.set(runner, n);
    lines.push({ n, at: this.#now(), kind, text: this.#scrubber.clean(text) });
    if (lines.length > limits.runner_lines) lines.shift();
  }

  /** The newest ones in the order in which they came. A secret that was learnt later is taken out, too. */
  last(runner: string, count: number): { lines: KeptLine[]; omitted: number } {
    const lines = (this.#lines.get(runner) ?? []).slice(-count);
    const omitted = (this.#counts.get(runner) ?? 0) - lines.length;
    return { lines: lines.map((line) => ({ ...line, text: this.#scrubber.clean(line.text) })), omitted };
  }

  /** The same for any other text that leaves the host. */
  clean(text: string): string {
    return this.#scrubber.clean(text);
  }

  conceal(secret: string): void {
    this.#scrubber.add(secret);
  }
}
