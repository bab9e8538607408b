import type { RunnerLogEntry } from '../discovery/runner-log.ts';
import type { LogFields, LogLevel, LogSink } from './log/log-sink.ts';
import { PrettySink } from './log/pretty-sink.ts';
import { RunnerLines } from './log/runner-lines.ts';

/**
 * The host's own log. An event is named by a few dotted words and told by fields, ids among them: `session_id`,
 * `turn_id`, `run_id`, `trace_id`. Foreign text is a field, never part of a name: sinks quote it.
 */
export class HostLog {
  readonly #sink: LogSink;
  /** Fields of every line; null: none. */
  readonly #bound: LogFields | null;
  /** What runners said last. */
  readonly lines: RunnerLines;

  /** A function gets the lines as people read them. */
  constructor(sink: LogSink | ((text: string) => void), bound: LogFields | null = null, lines = new RunnerLines()) {
    this.#sink = typeof sink === 'function' ? new PrettySink(sink, 'info') : sink;
    this.#bound = bound;
    this.lines = lines;
  }

  /** For whoever started the host and looks on. */
  say(line = ''): void {
    this.#sink.say(line);
  }

  debug(event: string, fields: LogFields = {}): void {
    this.#sink.line('debug', event, this.#with(fields));
  }

  info(event: string, fields: LogFields = {}): void {
    this.#sink.line('info', event, this.#with(fields));
  }

  warn(event: string, fields: LogFields = {}): void {
    this.#sink.line('warn', event, this.#with(fields));
  }

  error(event: string, fields: LogFields = {}): void {
    this.#sink.line('error', event, this.#with(fields));
  }

  #with(fields: LogFields): LogFields {
    return this.#bound === null ? fields : { ...this.#bound, ...fields };
  }

  /** Something that should not happen, and what is known of it. */
  fault(what: string, known: unknown): void {
    this.error(what, fieldsOf(known));
  }

  /** What a runner printed, or what the host has to say of it. */
  runner({ runner, kind, text }: RunnerLogEntry): void {
    this.lines.add({ runner, kind, text });
    if (kind === 'warning') this.warn('runner.warning', { runner, text });
    else this.info('runner.printed', { runner, stream: kind, text: unquoted(text) });
  }

  /** The same log, with these fields on every line. */
  child(fields: LogFields): HostLog {
    return new HostLog(this.#sink, { ...this.#bound, ...fields }, this.lines);
  }

  /** Less than this is not logged from here on, by its children either. */
  setLevel(level: LogLevel): void {
    this.#sink.setLevel(level);
  }

  /** Secrets that must not be in any line from here on: keys, tokens, configured values. */
  conceal(...secrets: string[]): void {
    for (const secret of secrets) {
      this.#sink.conceal(secret);
      this.lines.conceal(secret);
    }
  }
}

function fieldsOf(known: unknown): LogFields {
  if (known instanceof Error) return { error: known.stack ?? known.message };
  if (typeof known === 'object' && known !== null) return { ...known };
  return { error: String(known) };
}

/** Runners' logs quote what was printed; the sink quotes it again in its own way. */
function unquoted(text: string): string {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'string' ? read : text;
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
