import { quoted } from '../../discovery/runner-log.ts';
import { isLogged, type LogFields, type LogLevel, type LogSink } from './log-sink.ts';
import { Scrubber } from './scrubber.ts';

const plain = /^[\w.:/@+-]{1,200}$/;

function shown(value: unknown): string {
  if (typeof value === 'string') return plain.test(value) ? value : quoted(value);
  return quoted(JSON.stringify(value) ?? 'undefined').slice(1, -1);
}

/** Whether a name only repeats another one, or the beginning of it, as that of a turn does in a run's. */
function isRepeated(name: string, fields: LogFields): boolean {
  const id = fields[name];
  if (!name.endsWith('_id') || typeof id !== 'string') return false;
  const names = Object.keys(fields);
  return names.some((other) => {
    const value = fields[other];
    if (other === name || !other.endsWith('_id') || typeof value !== 'string') return false;
    return value === id ? names.indexOf(other) < names.indexOf(name) : value.startsWith(`${id}.`);
  });
}

/**
 * Lines for people: the time, the level when it is not the usual one, what happened, and what is known of it, without
 * ids that others hold.
 */
export class PrettySink implements LogSink {
  readonly #write: (text: string) => void;
  #level: LogLevel;
  readonly #scrubber = new Scrubber();

  constructor(write: (text: string) => void, level: LogLevel) {
    this.#write = write;
    this.#level = level;
  }

  line(level: LogLevel, event: string, fields: LogFields): void {
    if (!isLogged(level, this.#level)) return;
    const time = new Date().toISOString();
    const words = [time, ...(level === 'info' ? [] : [level]), event];
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined || value === null || isRepeated(name, fields)) continue;
      words.push(`${name}=${shown(value)}`);
    }
    this.#write(`${this.#scrubber.clean(words.join(' '))}\n`);
  }

  /** As it was written: its lines are made by the host for a person who reads them now. */
  say(text: string): void {
    this.#write(`${text}\n`);
  }

  setLevel(level: LogLevel): void {
    this.#level = level;
  }

  conceal(secret: string): void {
    this.#scrubber.add(secret);
  }
}
