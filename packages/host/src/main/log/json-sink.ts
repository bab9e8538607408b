import { isLogged, type LogFields, type LogLevel, type LogSink } from './log-sink.ts';
import { Scrubber } from './scrubber.ts';

/** One JSON object per line: `level`, `time`, what is known, `event`. */
export class JsonSink implements LogSink {
  #level: LogLevel;
  readonly #scrubber = new Scrubber();
  readonly #write: (line: string) => void;
  readonly #hurry: () => void;

  /** `hurry`: somebody waits for what was written last. */
  constructor(write: (line: string) => void, level: LogLevel, hurry: () => void = () => undefined) {
    this.#level = level;
    this.#write = write;
    this.#hurry = hurry;
  }

  line(level: LogLevel, event: string, fields: LogFields): void {
    if (isLogged(level, this.#level)) this.#put(level, event, fields);
  }

  /** What is said to whoever started the host is said at any level. */
  say(text: string): void {
    if (text.trim() === '') return;
    this.#put('info', 'said', { text: text.trim() });
    this.#hurry();
  }

  setLevel(level: LogLevel): void {
    this.#level = level;
  }

  conceal(secret: string): void {
    this.#scrubber.add(secret);
  }

  #put(level: LogLevel, event: string, fields: LogFields): void {
    const known = JSON.stringify(fields).slice(1, -1);
    const time = new Date().toISOString();
    const line = `{"level":"${level}","time":"${time}",${known === '' ? '' : `${known},`}"event":${JSON.stringify(event)}}`;
    this.#write(`${this.#scrubber.clean(line)}\n`);
  }
}
