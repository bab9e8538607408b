import { type DestinationStream, type Logger, pino } from 'pino';
import { isLogged, type LogFields, type LogLevel, type LogSink } from './log-sink.ts';
import { Scrubber } from './scrubber.ts';

/** One JSON object per line: `level`, `time`, what is known, `event`. */
export class JsonSink implements LogSink {
  #level: LogLevel;
  readonly #scrubber = new Scrubber();
  readonly #logger: Logger;

  constructor(destination: Pick<DestinationStream, 'write'>, level: LogLevel) {
    this.#level = level;
    const clean = { write: (line: string) => destination.write(this.#scrubber.clean(line)) };
    this.#logger = pino(
      {
        // Lines are chosen here; what is said to whoever started the host is said at any level.
        level: 'debug',
        base: null,
        messageKey: 'event',
        timestamp: () => `,"time":"${new Date().toISOString()}"`,
        formatters: { level: (label) => ({ level: label }) },
        // Errors are told as text by whoever logs them; nothing here is worth a second look.
        serializers: {},
      },
      clean,
    );
  }

  line(level: LogLevel, event: string, fields: LogFields): void {
    if (isLogged(level, this.#level)) this.#logger[level](fields, event);
  }

  say(text: string): void {
    if (text.trim() !== '') this.#logger.info({ text: text.trim() }, 'said');
  }

  setLevel(level: LogLevel): void {
    this.#level = level;
  }

  conceal(secret: string): void {
    this.#scrubber.add(secret);
  }
}
