import type { HostConfig } from '@rostra/protocol/config/host-config';

export type LogLevel = HostConfig['log']['level'];
export type LogFields = Readonly<Record<string, unknown>>;

/** Where lines of the log go, and in what shape. */
export interface LogSink {
  /** Something happened: its name, and what is known of it. */
  line(level: LogLevel, event: string, fields: LogFields): void;
  /** A sentence for whoever started the host. */
  say(text: string): void;
  /** Less than this is not logged from here on. */
  setLevel(level: LogLevel): void;
  /** Nothing with this text in it leaves any more. */
  conceal(secret: string): void;
}

const ranks: Readonly<Record<LogLevel, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

export function isLogged(level: LogLevel, least: LogLevel): boolean {
  return ranks[level] >= ranks[least];
}
