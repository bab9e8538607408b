import { limits } from '@rostra/protocol/wire/limits';
import type { Concealer } from './concealer.ts';
import { foreignWords } from './foreign-words.ts';

/** A line of a tool server's own output, or what was left out of it; as it came, except for its length. */
export interface ToolServerLine {
  readonly server_id: string;
  readonly kind: 'stdout' | 'stderr' | 'warning';
  readonly text: string;
}

const SECOND = 1000;
/** The longest value that a configuration takes: what is concealed must not be cut before. */
const SECRET_CHARS_MAX = 4096;

/** What a server prints: some lines of a flood, and the last one for whoever asks why it ended. */
export class ServerLog {
  readonly #server_id: string;
  readonly #concealer: Concealer;
  readonly #now: () => number;
  readonly #sink: (line: ToolServerLine) => void;
  #windowEnds = 0;
  #written = 0;
  #left = 0;
  #last = '';

  constructor(
    server_id: string,
    concealer: Concealer,
    { now, sink }: { now: () => number; sink: (line: ToolServerLine) => void },
  ) {
    this.#server_id = server_id;
    this.#concealer = concealer;
    this.#now = now;
    this.#sink = sink;
  }

  /** The last words on stderr, as one short line. */
  get last(): string | null {
    return foreignWords(this.#shown(this.#last)) || null;
  }

  printed(kind: 'stdout' | 'stderr', line: string): void {
    const start = line.slice(0, limits.log_line_chars + SECRET_CHARS_MAX);
    if (kind === 'stderr' && start.trim() !== '') this.#last = start;
    // Of a flood, nothing more is done with lines that nobody sees.
    if (this.#mayWrite()) this.#write(kind, this.#shown(start));
  }

  #shown(start: string): string {
    return this.#concealer.conceal(start).slice(0, limits.log_line_chars);
  }

  #mayWrite(): boolean {
    if (this.#now() >= this.#windowEnds) {
      if (this.#left > 0) this.#write('warning', `${this.#left} more lines were left out`);
      this.#windowEnds = this.#now() + SECOND;
      this.#written = 0;
      this.#left = 0;
    }
    if (this.#written >= limits.runner_log_lines) {
      this.#left += 1;
      return false;
    }
    this.#written += 1;
    return true;
  }

  #write(kind: ToolServerLine['kind'], text: string): void {
    this.#sink({ server_id: this.#server_id, kind, text });
  }
}
