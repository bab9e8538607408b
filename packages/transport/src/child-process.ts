import { type ChildProcess, spawn } from 'node:child_process';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Channel } from './channel.ts';
import { killGroup } from './kill-group.ts';
import { LineReader } from './line-reader.ts';
import { systemTimers, type Timers } from './timers.ts';

export interface ChildCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The whole environment of the child: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
}

/** How a child ended; `error` if it never started. */
export interface ChildExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly error: Error | null;
}

export interface ChildChannel extends Channel {
  readonly pid: number | undefined;
  /** Resolves once, after everything that the child wrote was read. */
  readonly exited: Promise<ChildExit>;
  /** Signals the child and all it has started; nothing if it is gone. */
  kill(signal?: NodeJS.Signals): void;
}

export interface ChildOptions {
  readonly onStderr: (line: string) => void;
  readonly timers?: Timers;
}

/** Starts a command as the leader of its own process group and connects to its stdio. */
export function spawnChild(command: ChildCommand, { onStderr, timers = systemTimers }: ChildOptions): ChildChannel {
  const child = spawn(command.file, command.args, {
    cwd: command.cwd,
    env: { ...command.env },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { stdin, stdout, stderr } = child;
  // Node says so by the types, but leaves the streams out when the process has no file descriptors left.
  if (stdin === undefined || stdout === undefined || stderr === undefined) {
    child.on('error', () => undefined);
    throw new ApiError('runtime_error', `${command.file} cannot be started: too many open files.`, { retryable: true });
  }
  const log = new LineReader(limits.log_line_chars, { onLine: onStderr, onOverlong: (start) => onStderr(`${start}…`) });
  stderr.on('data', (chunk: Buffer) => log.push(chunk));
  stderr.on('end', () => log.end());
  return {
    pid: child.pid,
    readable: stdout,
    writable: stdin,
    exited: exitOf(child, timers),
    kill: (signal = 'SIGKILL') => {
      if (child.exitCode === null && child.signalCode === null) killGroup(child.pid, signal);
    },
    close() {
      stdin.end();
      stdout.destroy();
    },
  };
}

function exitOf(child: ChildProcess, timers: Timers): Promise<ChildExit> {
  return new Promise((resolve) => {
    child.on('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('exit', () => {
      // What it started dies with it. A descendant that left the group may still hold the pipes open: it gets no more
      // than a moment, so that a dead runner is known to be dead.
      killGroup(child.pid, 'SIGKILL');
      const release = timers.after(limits.runner_stop, () => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      });
      child.once('close', release);
    });
    child.once('close', (code, signal) => resolve({ code, signal, error: null }));
  });
}
