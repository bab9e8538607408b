import { quoted, type RunnerLogEntry } from '../discovery/runner-log.ts';

/** Lines for whoever started the host. Foreign text stands in quotes, with control characters escaped. */
export class HostLog {
  readonly #write: (text: string) => void;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  say(line = ''): void {
    this.#write(`${line}\n`);
  }

  runner({ runner, kind, text }: RunnerLogEntry): void {
    this.say(`${time()} runner ${runner} ${kind}: ${text}`);
  }

  /** Something that should not happen, and what is known of it. */
  fault(what: string, known: unknown): void {
    const text = known instanceof Error ? (known.stack ?? known.message) : JSON.stringify(known);
    this.say(`${time()} fault ${what}: ${quoted(text ?? '')}`);
  }
}

function time(): string {
  return new Date().toISOString();
}
