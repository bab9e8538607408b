import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import type { ListAgentRunnersParams } from '@rostra/protocol/runner/wire-params';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { HOST_NAME, PROTOCOL_VERSION, type WireMethod } from '@rostra/protocol/wire/method';
import { type ChildChannel, type ChildExit, spawnChild } from '@rostra/transport/child-process';
import type { CloseReason } from '@rostra/transport/close-reason';
import { Peer } from '@rostra/transport/peer';
import type { Timers } from '@rostra/transport/timers';
import type { RunnerClock } from './runner-clock.ts';
import { readListing } from './runner-listing.ts';
import { RunnerLog, type RunnerLogSink } from './runner-log.ts';
import { RunnerStartError } from './runner-start-error.ts';
import { StartBudget } from './start-budget.ts';

/** How a runner package is started. `env` is added to the few names that every runner gets. */
export interface RunnerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where it is started; its own folder unless told. */
  readonly cwd?: string;
}

export interface RunnerProcessOptions {
  /** How the log names it. */
  readonly name: string;
  readonly command: RunnerCommand;
  /** A folder of its own: its HOME, and below it its temporary files. Made when it is missing. */
  readonly home: string;
  readonly clock: RunnerClock;
  readonly log: RunnerLogSink;
  /** What the allow-list is read from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A live runner process as the orchestrator uses it. */
export interface RunnerConnection {
  readonly peer: Peer;
  readonly pid: number | undefined;
  readonly runners: ReadonlyMap<string, AgentRunnerManifest>;
  readonly log: RunnerLog;
  /** Resolves once, when the process is gone, with one sentence on how. */
  readonly lost: Promise<string>;
}

/** Beside these only HOME and TMPDIR, which are private: nothing of the host's own environment leaks. */
const inherited = ['PATH', 'LANG', 'LC_ALL', 'TZ'] as const;

function sentenceOf(reason: CloseReason, exit: ChildExit): string {
  if (reason.why === 'framing' || reason.why === 'stalled') return `The runner was stopped: ${reason.message}`;
  if (exit.error !== null) return `The runner could not be started: ${exit.error.message}.`;
  return exit.signal === null
    ? `The runner ended with exit code ${exit.code}.`
    : `The runner was ended by ${exit.signal}.`;
}

/** One warm process for a runner command: started on first use, and again for the next use after it died. */
export class RunnerProcess {
  readonly #options: RunnerProcessOptions;
  readonly #timers: Timers;
  readonly #log: RunnerLog;
  readonly #budget = new StartBudget();
  #connection: RunnerConnection | null = null;
  #starting: Promise<RunnerConnection> | null = null;
  #child: ChildChannel | null = null;
  #stopped = false;

  constructor(options: RunnerProcessOptions) {
    const { clock } = options;
    this.#options = options;
    this.#timers = { after: (ms, wake) => clock.at(clock.now() + ms, wake) };
    this.#log = new RunnerLog(options.name, clock, options.log);
  }

  /** The process, if it is up: what a run takes that must not wait. */
  get connection(): RunnerConnection | null {
    return this.#connection;
  }

  /** The process, started if need be; rejects with a RunnerStartError. */
  connect(): Promise<RunnerConnection> {
    if (this.#connection !== null) return Promise.resolve(this.#connection);
    this.#starting ??= this.#start().finally(() => {
      this.#starting = null;
    });
    return this.#starting;
  }

  /** Whether the event loop of the process turns. */
  async ping(timeout: number): Promise<boolean> {
    const method: WireMethod = 'PING';
    const answered = this.#connection?.peer.request(method, {}, { timeout });
    return answered === undefined ? false : answered.then(() => true, isRefusal);
  }

  /** Ends the process: its input is closed, and what has not gone within a moment is killed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const child = this.#child;
    if (child !== null) {
      const callOff = this.#timers.after(limits.runner_stop, () => child.kill());
      child.writable.end();
      await child.exited;
      callOff();
    }
    this.#log.close();
  }

  #environment(): Record<string, string> {
    const { home, command, environment } = this.#options;
    const env: Record<string, string> = { HOME: home, TMPDIR: path.join(home, 'tmp') };
    for (const name of inherited) {
      const value = environment[name];
      if (value !== undefined) env[name] = value;
    }
    return { ...env, ...command.env };
  }

  async #start(): Promise<RunnerConnection> {
    if (this.#stopped) throw new RunnerStartError('runner.start_failed', 'The host is shutting down.', true);
    const rest = this.#budget.take(this.#options.clock.now());
    if (rest !== null) {
      const seconds = Math.ceil(rest.wait / 1000);
      const hint = `Read its log, then try again in ${seconds} s.`;
      const message = `The runner ${this.#options.name} died too often and rests for a while. ${hint}`;
      throw new RunnerStartError('runner.start_failed', message, true);
    }
    const child = this.#spawn();
    const peer = new Peer(child, {
      timers: this.#timers,
      onStray: (line) => this.#log.printed('stdout', line),
      onFault: (error, method) => {
        this.#log.warn(`${method} was not handled: ${error instanceof Error ? error.stack : String(error)}`);
      },
    });
    const ping: WireMethod = 'PING';
    peer.onRequest(ping, () => ({}));
    const lost = this.#watch(child, peer);
    const runners = await this.#list(peer, lost);
    const connection: RunnerConnection = { peer, pid: child.pid, runners, log: this.#log, lost };
    this.#connection = connection;
    peer.onClose(() => {
      if (this.#connection === connection) this.#connection = null;
    });
    return connection;
  }

  #spawn(): ChildChannel {
    const { command, home } = this.#options;
    try {
      mkdirSync(path.join(home, 'tmp'), { recursive: true, mode: 0o700 });
      const { command: file, args, cwd = home } = command;
      const onStderr = (line: string) => this.#log.printed('stderr', line);
      this.#child = spawnChild({ file, args, cwd, env: this.#environment() }, { onStderr, timers: this.#timers });
      return this.#child;
    } catch (error) {
      // No folder, no file descriptors, arguments that are none: whatever it is, this start has failed.
      const why = error instanceof Error ? error.message : String(error);
      throw new RunnerStartError('runner.start_failed', `The runner could not be started: ${why}`, true);
    }
  }

  /** A process whose connection is over is of no use: it is killed, and once it is gone its end is told. */
  #watch(child: ChildChannel, peer: Peer): Promise<string> {
    return new Promise((resolve) => {
      peer.onClose((reason) => {
        if (!this.#stopped) child.kill();
        void child.exited.then((exit) => {
          if (this.#child === child) this.#child = null;
          const sentence = sentenceOf(reason, exit);
          if (!this.#stopped) this.#log.warn(sentence);
          resolve(sentence);
        });
      });
    });
  }

  /** The first exchange (RP-3.1). */
  async #list(peer: Peer, lost: Promise<string>): Promise<ReadonlyMap<string, AgentRunnerManifest>> {
    const method: WireMethod = 'LIST_AGENT_RUNNERS';
    const params: ListAgentRunnersParams = { protocol_version: PROTOCOL_VERSION, host: HOST_NAME };
    try {
      const listing = readListing(await peer.request(method, params, { timeout: limits.runner_start }));
      for (const warning of listing.warnings) this.#log.warn(warning);
      return listing.runners;
    } catch (error) {
      const gone = error instanceof ApiError && error.details.connection !== undefined ? await lost : null;
      peer.close();
      throw startErrorOf(error, gone);
    }
  }
}

function isRefusal(error: unknown): boolean {
  // A runner that refuses to answer a ping has answered it.
  return error instanceof ApiError && error.code !== 'deadline_exceeded' && error.details.connection === undefined;
}

function startErrorOf(error: unknown, gone: string | null): Error {
  if (gone !== null) return new RunnerStartError('runner.start_failed', gone, true);
  if (!(error instanceof ApiError)) return error instanceof Error ? error : new Error(String(error));
  if (error.code === 'deadline_exceeded') {
    const message = `The runner did not say what it offers within ${limits.runner_start / 1000} s.`;
    return new RunnerStartError('runner.start_timeout', message, true);
  }
  return new RunnerStartError('runner.start_failed', `The runner refused to start: ${error.message}`, false);
}
