import { mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { HostLog } from '../host-log.ts';
import type { LogFields, LogLevel, LogSink } from './log-sink.ts';
import { PrettySink } from './pretty-sink.ts';

/** The terminal, or whatever stands where it would be. */
export interface LogTerminal {
  readonly isTTY?: boolean | undefined;
  readonly fd: number;
  write(text: string): void;
}

/** Holds what is said until the sink behind it is loaded: pino takes as long to load as the store takes to open. */
class LateSink implements LogSink {
  #sink: LogSink | null = null;
  #waiting: ((sink: LogSink) => void)[] = [];

  open(sink: LogSink): void {
    this.#sink = sink;
    for (const tell of this.#waiting) tell(sink);
    this.#waiting = [];
  }

  line(level: LogLevel, event: string, fields: LogFields): void {
    this.#tell((sink) => sink.line(level, event, fields));
  }

  say(text: string): void {
    this.#tell((sink) => sink.say(text));
  }

  setLevel(level: LogLevel): void {
    this.#tell((sink) => sink.setLevel(level));
  }

  conceal(secret: string): void {
    this.#tell((sink) => sink.conceal(secret));
  }

  #tell(tell: (sink: LogSink) => void): void {
    if (this.#sink === null) this.#waiting.push(tell);
    else tell(this.#sink);
  }
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

/** Loads the structured log beside whatever else the start does, and writes without making anybody wait. */
async function loadJson(late: LateSink, fd: number, level: LogLevel): Promise<void> {
  const [{ JsonSink }, { pino }] = await Promise.all([import('./json-sink.ts'), import('pino')]);
  const out = pino.destination({ fd, sync: false, maxLength: limits.log_buffer_bytes });
  // Whoever read our words may leave before us, and a full disk must not end the host either.
  let isGone = false;
  out.on('error', () => {
    isGone = true;
  });
  process.on('exit', () => {
    if (isGone) return;
    try {
      out.flushSync();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  });
  const write = (line: string) => {
    if (!isGone) out.write(line);
  };
  late.open(new JsonSink({ write }, level));
}

/** Pretty on a terminal, JSON otherwise, unless told. */
export function openLog({ level, format, file }: HostConfig['log'], terminal: LogTerminal): HostLog {
  const fd = file === null ? terminal.fd : openFile(file);
  const isForPeople = format === 'pretty' || (format === 'auto' && file === null && terminal.isTTY === true);
  if (isForPeople && file === null) return new HostLog(new PrettySink((text) => terminal.write(text), level));
  if (isForPeople) return new HostLog(new FileSink(new PrettySink((text) => writeSync(fd, text), level), terminal));
  const late = new LateSink();
  void loadJson(late, fd, level);
  return new HostLog(file === null ? late : new FileSink(late, terminal));
}
