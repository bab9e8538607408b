import { mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { HostLog } from '../host-log.ts';
import { JsonSink } from './json-sink.ts';
import { LineFile } from './line-file.ts';
import type { LogFields, LogLevel, LogSink } from './log-sink.ts';
import { PrettySink } from './pretty-sink.ts';

/** The terminal, or whatever stands where it would be. */
export interface LogTerminal {
  readonly isTTY?: boolean | undefined;
  readonly fd: number;
  write(text: string): void;
}

/** Sentences for people go to the terminal as well as to the file. */
class FileSink implements LogSink {
  readonly #file: LogSink;
  readonly #terminal: LogTerminal;

  constructor(file: LogSink, terminal: LogTerminal) {
    this.#file = file;
    this.#terminal = terminal;
  }

  line(level: LogLevel, event: string, fields: LogFields): void {
    this.#file.line(level, event, fields);
  }

  say(text: string): void {
    this.#terminal.write(`${text}\n`);
    this.#file.say(text);
  }

  setLevel(level: LogLevel): void {
    this.#file.setLevel(level);
  }

  conceal(secret: string): void {
    this.#file.conceal(secret);
  }
}

function openFile(file: string): number {
  try {
    mkdirSync(path.dirname(file), { recursive: true });
    return openSync(file, 'a', 0o600);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const hint = 'Correct log.file, or leave it out to log to the terminal.';
    throw new ApiError('invalid_argument', `The log cannot be written: ${why}`, { details: { hint } });
  }
}

function openJson(fd: number, level: LogLevel): LogSink {
  const lines = new LineFile(fd);
  process.on('exit', () => lines.close());
  return new JsonSink(
    (line) => lines.add(line),
    level,
    () => lines.hurry(),
  );
}

/** Pretty on a terminal, JSON otherwise, unless told. */
export function openLog({ level, format, file }: HostConfig['log'], terminal: LogTerminal): HostLog {
  const fd = file === null ? terminal.fd : openFile(file);
  const isForPeople = format === 'pretty' || (format === 'auto' && file === null && terminal.isTTY === true);
  if (isForPeople && file === null) return new HostLog(new PrettySink((text) => terminal.write(text), level));
  if (isForPeople) return new HostLog(new FileSink(new PrettySink((text) => writeSync(fd, text), level), terminal));
  const json = openJson(fd, level);
  return new HostLog(file === null ? json : new FileSink(json, terminal));
}
