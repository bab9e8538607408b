import { limits } from '@rostra/protocol/wire/limits';
import type { RunnerClock } from './runner-clock.ts';

/** One line about a runner: what it printed, or what the host has to say of it. Control characters are escaped. */
export interface RunnerLogEntry {
  readonly runner: string;
  readonly kind: 'stdout' | 'stderr' | 'warning';
  readonly text: string;
}
export type RunnerLogSink = (entry: RunnerLogEntry) => void;

const SECOND = 1000;
/** What JSON leaves as it is and a terminal obeys, or shows in another order than it is written. */
const treacherous = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/** A foreign text as one quoted line that cannot command a terminal or pass for a line of its own. */
export function quoted(text: string): string {
  const most = limits.log_line_chars;
  const shown = text.length > most ? `${text.slice(0, most)}…` : text;
  return JSON.stringify(shown).replace(treacherous, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The log of one runner: a flood of lines becomes some of them and a count of the rest. */
export class RunnerLog {
  readonly #runner: string;
  readonly #clock: RunnerClock;
  readonly #sink: RunnerLogSink;
  #windowEnds = 0;
  #written = 0;
  #left = 0;
  /** Warnings of this second: the same one again is only counted. */
  readonly #warned = new Set<string>();
  #offTimer: (() => void) | null = null;

  constructor(runner: string, clock: RunnerClock, sink: RunnerLogSink) {
    this.#runner = runner;
    this.#clock = clock;
    this.#sink = sink;
  }

  /** What the runner printed. */
  printed(kind: 'stdout' | 'stderr', line: string): void {
    if (this.#mayWrite()) this.#sink({ runner: this.#runner, kind, text: quoted(line) });
  }

  /** A sentence of the host; foreign words in it are quoted by whoever made it. */
  warn(text: string): void {
    if (this.#mayWrite(text)) this.#sink({ runner: this.#runner, kind: 'warning', text });
  }

  /** Says what was left out so far, and nothing more on its own. */
  close(): void {
    this.#offTimer?.();
    this.#offTimer = null;
    this.#summarise();
  }

  #mayWrite(warning?: string): boolean {
    const now = this.#clock.now();
    if (now >= this.#windowEnds) {
      this.#summarise();
      this.#windowEnds = now + SECOND;
      this.#written = 0;
      this.#warned.clear();
    }
    const isRepeated = warning !== undefined && this.#warned.has(warning);
    if (!isRepeated && this.#written < limits.runner_log_lines) {
      this.#written += 1;
      if (warning !== undefined) this.#warned.add(warning);
      return true;
    }
    this.#left += 1;
    this.#offTimer ??= this.#clock.at(this.#windowEnds, () => {
      this.#offTimer = null;
      this.#summarise();
    });
    return false;
  }

  #summarise(): void {
    if (this.#left === 0) return;
    this.#sink({ runner: this.#runner, kind: 'warning', text: `${this.#left} more lines were left out` });
    this.#left = 0;
  }
}
