import type { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import type { ListAgentRunnersParams } from '@rostra/protocol/runner/wire-params';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { HOST_NAME, PROTOCOL_VERSION, type WireMethod } from '@rostra/protocol/wire/method';
import type { ChildChannel, ChildExit } from '@rostra/transport/child-process';
import type { CloseReason } from '@rostra/transport/close-reason';
import { Peer } from '@rostra/transport/peer';
import type { Timers } from '@rostra/transport/timers';
import { endGroups, groupOf, type ProcessGroup } from './process-group.ts';
import { readListing } from './runner-listing.ts';
import type { RunnerLog } from './runner-log.ts';
import type { RunnerConnection } from './runner-pool.ts';
import { RunnerStartError } from './runner-start-error.ts';

/** What the keeper of a runner hears of it. */
export interface LiveRunnerEvents {
  /** Its last run has left. */
  rested(runner: LiveRunner): void;
  /** It takes no more runs: somebody else must. */
  drained(runner: LiveRunner): void;
  /** Process groups that its runs started beside it, to be remembered over a crash of the host. */
  spawned(group: ProcessGroup): void;
  reaped(pid: number): void;
}

export interface LiveRunnerOptions {
  readonly carrier: ChildChannel;
  readonly log: RunnerLog;
  readonly timers: Timers;
  readonly events: LiveRunnerEvents;
}

/** One life of a runner process, or of a remote runner's connection. */
export class LiveRunner implements RunnerConnection {
  readonly peer: Peer;
  readonly pid: number | undefined;
  readonly log: RunnerLog;
  readonly lost: Promise<string>;
  readonly #carrier: ChildChannel;
  readonly #timers: Timers;
  readonly #events: LiveRunnerEvents;
  readonly #runs = new Set<string>();
  readonly #groups = new Map<number, ProcessGroup>();
  #runners: ReadonlyMap<string, AgentRunnerManifest> = new Map();
  #minor = 0;
  /** Why the host ends it; null while it does not. */
  #ending: string | null = null;
  #asked = false;
  #draining = false;
  #closed = false;

  constructor({ carrier, log, timers, events }: LiveRunnerOptions) {
    this.#carrier = carrier;
    this.#timers = timers;
    this.#events = events;
    this.log = log;
    this.pid = carrier.pid;
    this.peer = new Peer(carrier, {
      timers,
      onStray: (line) => log.printed('stdout', line),
      onFault: (error, method) => {
        log.warn(`${method} was not handled: ${error instanceof Error ? error.stack : String(error)}`);
      },
    });
    const ping: WireMethod = 'PING';
    this.peer.onRequest(ping, () => ({}));
    this.lost = this.#watch();
  }

  get runners(): ReadonlyMap<string, AgentRunnerManifest> {
    return this.#runners;
  }

  get minor(): number {
    return this.#minor;
  }

  get runs(): number {
    return this.#runs.size;
  }

  /** Whether it takes runs. */
  get isOpen(): boolean {
    return !this.#closed && !this.#draining && this.#ending === null;
  }

  /** Whether the host asked for its end, so that it is no crash. */
  get wasAsked(): boolean {
    return this.#asked;
  }

  /** The first exchange (RP-3.1), and again when somebody asks for what it did not offer then. */
  async introduce(): Promise<void> {
    const method: WireMethod = 'LIST_AGENT_RUNNERS';
    const params: ListAgentRunnersParams = { protocol_version: PROTOCOL_VERSION, host: HOST_NAME };
    try {
      const listing = readListing(await this.peer.request(method, params, { timeout: limits.runner_start }));
      for (const warning of listing.warnings) this.log.warn(warning);
      this.#runners = listing.runners;
      this.#minor = listing.minor;
    } catch (error) {
      const gone = error instanceof ApiError && error.details.connection !== undefined ? await this.lost : null;
      this.peer.close();
      throw startErrorOf(error, gone);
    }
  }

  enter(run_id: string): void {
    this.#runs.add(run_id);
  }

  leave(run_id: string): void {
    this.#runs.delete(run_id);
    if (this.#runs.size > 0) return;
    if (this.#draining) void this.stop();
    else this.#events.rested(this);
  }

  async ping(timeout: number): Promise<boolean> {
    const method: WireMethod = 'PING';
    return this.peer.request(method, {}, { timeout }).then(() => true, isRefusal);
  }

  drain(): void {
    if (!this.isOpen) return;
    this.#draining = true;
    this.#events.drained(this);
    if (this.#runs.size === 0) void this.stop();
  }

  /** Ends it when nobody uses it: its input is closed, and what has not gone within a moment is killed. */
  async stop(): Promise<void> {
    this.#end('The host has stopped it.');
    const callOff = this.#timers.after(limits.runner_stop, () => this.#carrier.kill());
    this.#carrier.writable.end();
    await this.lost;
    callOff();
  }

  async kill(why: string): Promise<void> {
    if (!this.#closed) this.log.warn(`The runner is ended: ${why}`);
    this.#end(why);
    await this.#terminate();
  }

  /** The same for what the runner itself did: this is a crash. */
  async condemn(why: string): Promise<void> {
    this.#ending ??= why;
    await this.#terminate();
  }

  spawned(pid: number): void {
    const group = this.pid === undefined ? null : groupOf(pid, this.pid);
    if (group === null) {
      // Remote runners and those in a namespace of their own name pids that mean nothing here.
      return;
    }
    this.#groups.set(pid, group);
    this.#events.spawned(group);
  }

  reaped(pid: number): void {
    if (this.#groups.delete(pid)) this.#events.reaped(pid);
  }

  async killGroups(pids: readonly number[]): Promise<number> {
    const groups = pids.flatMap((pid) => {
      const group = this.#groups.get(pid) ?? (this.pid === undefined ? null : groupOf(pid, this.pid));
      return group === null ? [] : [group];
    });
    const ended = await endGroups(groups, this.#timers);
    for (const { pid } of groups) this.reaped(pid);
    return ended;
  }

  #end(why: string): void {
    this.#ending ??= why;
    this.#asked = true;
  }

  async #terminate(): Promise<void> {
    this.#carrier.kill('SIGTERM');
    const callOff = this.#timers.after(limits.runner_stop, () => this.#carrier.kill());
    await this.lost;
    callOff();
  }

  /** A process whose connection is over is of no use: it is killed, and once it is gone its end is told. */
  #watch(): Promise<string> {
    return new Promise((resolve) => {
      this.peer.onClose((reason) => {
        this.#closed = true;
        if (this.#ending === null) this.#carrier.kill();
        void this.#carrier.exited.then((exit) => {
          void this.killGroups([...this.#groups.keys()]);
          const sentence = sentenceOf(reason, exit, this.#ending);
          if (!this.#asked) this.log.warn(sentence);
          resolve(sentence);
        });
      });
    });
  }
}

function sentenceOf(reason: CloseReason, exit: ChildExit, ending: string | null): string {
  if (ending !== null) return `The runner was stopped: ${ending}`;
  if (reason.why === 'framing' || reason.why === 'stalled') return `The runner was stopped: ${reason.message}`;
  if (exit.error !== null) return `The runner could not be started: ${exit.error.message}.`;
  if (exit.signal !== null) return `The runner was ended by ${exit.signal}.`;
  return exit.code === null
    ? 'The connection to the runner was lost.'
    : `The runner ended with exit code ${exit.code}.`;
}

function isRefusal(error: unknown): boolean {
  // A runner that refuses to answer a ping has answered it.
  return error instanceof ApiError && error.code !== 'deadline_exceeded' && error.details.connection === undefined;
}

function startErrorOf(error: unknown, gone: string | null): Error {
  if (gone !== null) return new RunnerStartError('runner.start_failed', gone, true, true);
  if (!(error instanceof ApiError)) return error instanceof Error ? error : new Error(String(error));
  if (error.code === 'deadline_exceeded') {
    const message = `The runner did not say what it offers within ${limits.runner_start / 1000} s.`;
    return new RunnerStartError('runner.start_timeout', message, true, true);
  }
  return new RunnerStartError('runner.start_failed', `The runner refused to start: ${error.message}`, false, true);
}
