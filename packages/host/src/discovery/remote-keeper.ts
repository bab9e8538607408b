import { createHash, timingSafeEqual } from 'node:crypto';
import type { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import { limits } from '@rostra/protocol/wire/limits';
import type { ChildChannel } from '@rostra/transport/child-process';
import type { Timers } from '@rostra/transport/timers';
import { LiveRunner } from './live-runner.ts';
import type { PackageKeeper } from './package-keeper.ts';
import { Quarantine } from './quarantine.ts';
import type { RunnerClock } from './runner-clock.ts';
import { RunnerLog, type RunnerLogSink } from './runner-log.ts';
import type { RemotePackage } from './runner-package.ts';
import type { PackageStatus, RunnerDescriptor, RunPlaceKey } from './runner-pool.ts';
import { RunnerStartError } from './runner-start-error.ts';

export interface RemoteKeeperOptions {
  readonly package: RemotePackage;
  readonly clock: RunnerClock;
  readonly log: RunnerLogSink;
  readonly onListing: () => void;
}

/** Where a connection that showed the right token comes in. */
export interface RemoteDoor {
  readonly name: string;
  admit(carrier: ChildChannel): void;
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The connections of one remote runner. The first workspace that uses one keeps it. */
export class RemoteKeeper implements PackageKeeper, RemoteDoor {
  readonly #options: RemoteKeeperOptions;
  readonly #package: RemotePackage;
  readonly #token: Buffer;
  readonly #timers: Timers;
  readonly #log: RunnerLog;
  readonly #quarantine: Quarantine;
  readonly #lives = new Map<LiveRunner, { workspace_id: string | null; introduced: boolean }>();
  #listing: ReadonlyMap<string, AgentRunnerManifest> | null = null;
  #failure: RunnerStartError | null;
  #discovering: Promise<void> | null = null;
  #connections = 0;
  #over = false;

  constructor(options: RemoteKeeperOptions) {
    const { clock, package: pkg } = options;
    this.#options = options;
    this.#package = pkg;
    this.#token = digest(pkg.token);
    this.#timers = { after: (ms, wake) => clock.at(clock.now() + ms, wake) };
    this.#log = new RunnerLog(pkg.name, clock, options.log);
    this.#quarantine = new Quarantine(pkg.name, clock);
    this.#failure = this.#absent('has not dialled in yet');
  }

  get name(): string {
    return this.#package.name;
  }

  get listing(): ReadonlyMap<string, AgentRunnerManifest> | null {
    return this.#listing;
  }

  get failure(): RunnerStartError | null {
    return this.#failure;
  }

  get discovering(): Promise<void> | null {
    return this.#discovering;
  }

  get isGone(): boolean {
    return this.#over && this.#lives.size === 0;
  }

  admits(token: string): boolean {
    return timingSafeEqual(digest(token), this.#token);
  }

  admit(carrier: ChildChannel): void {
    const live = new LiveRunner({
      carrier,
      log: this.#log,
      timers: this.#timers,
      events: {
        rested: () => undefined,
        drained: () => undefined,
        spawned: () => undefined,
        reaped: () => undefined,
      },
    });
    if (this.#over || this.#quarantine.isOn || this.#lives.size >= limits.runner_processes) {
      void live.stop();
      return;
    }
    this.#connections += 1;
    this.#lives.set(live, { workspace_id: null, introduced: false });
    void live.lost.then((sentence) => this.#lost(live, sentence));
    void this.#introduce(live);
  }

  discover(): Promise<void> {
    const [first] = this.#up();
    return first === undefined ? Promise.resolve() : this.#introduce(first);
  }

  ready(key: RunPlaceKey): RunnerDescriptor | null {
    for (const live of this.#up()) {
      const held = this.#lives.get(live);
      const manifest = live.runners.get(key.runner_id);
      if (held === undefined || manifest === undefined) continue;
      held.workspace_id ??= key.workspace_id;
      if (held.workspace_id === key.workspace_id) {
        return { manifest, connection: live, package_name: this.name, processes: 'shared' };
      }
    }
    return null;
  }

  async open(key: RunPlaceKey): Promise<RunnerDescriptor> {
    const found = this.ready(key);
    if (found === null)
      throw this.#quarantine.refusal ?? this.#failure ?? this.#absent('has no connection for this workspace');
    return found;
  }

  sweep(): void {
    for (const live of this.#up()) void this.#ping(live);
  }

  status(): PackageStatus {
    const { name, origin, source, enabled, processes } = this.#package;
    return {
      name,
      origin,
      source,
      enabled,
      isolation: null,
      processes,
      state: this.#state(),
      pids: [],
      runs: [...this.#lives.keys()].reduce((sum, { runs }) => sum + runs, 0),
      restarts: Math.max(0, this.#connections - 1),
      runners: [...(this.#listing?.values() ?? [])],
      reason: (this.#quarantine.refusal ?? this.#failure)?.message ?? null,
    };
  }

  /** It cannot be started too often, because it is not started here; but it can be kept out. */
  quarantine(why: string): void {
    this.#quarantine.impose(why);
    for (const live of this.#lives.keys()) live.drain();
  }

  end_quarantine(): void {
    this.#quarantine.end();
  }

  /** It runs elsewhere: its connection is ended, and it comes back by itself. */
  restart(): void {
    this.#quarantine.end();
    for (const live of this.#lives.keys()) live.drain();
  }

  retire(): void {
    this.#over = true;
    for (const live of this.#lives.keys()) live.drain();
  }

  async stop(): Promise<void> {
    this.#over = true;
    await Promise.all([...this.#lives.keys()].map((live) => live.stop()));
    this.#log.close();
  }

  #state(): PackageStatus['state'] {
    if (this.#quarantine.isOn) return 'quarantined';
    return this.#up().length > 0 ? 'ready' : 'stopped';
  }

  #up(): LiveRunner[] {
    return [...this.#lives].flatMap(([live, { introduced }]) => (introduced && live.isOpen ? live : []));
  }

  #absent(what: string): RunnerStartError {
    return new RunnerStartError('runner.start_failed', `The remote runner ${this.name} ${what}.`, true);
  }

  #introduce(live: LiveRunner): Promise<void> {
    const asking = live
      .introduce()
      .then(
        () => this.#listed(live),
        (error: unknown) => {
          if (!(error instanceof RunnerStartError)) throw error;
          this.#failure = error;
          this.#log.warn(error.message);
        },
      )
      .finally(() => {
        if (this.#discovering === asking) this.#discovering = null;
      });
    this.#discovering = asking;
    return asking;
  }

  #listed(live: LiveRunner): void {
    const held = this.#lives.get(live);
    if (held === undefined) return;
    held.introduced = true;
    this.#listing = live.runners;
    this.#failure = null;
    this.#options.onListing();
  }

  #lost(live: LiveRunner, sentence: string): void {
    this.#lives.delete(live);
    if (this.#up().length === 0 && !this.#over) this.#failure = this.#absent(`is not connected. ${sentence}`);
  }

  async #ping(live: LiveRunner): Promise<void> {
    if ((await live.ping(limits.runner_pong)) || !live.isOpen) return;
    await live.condemn(`It did not answer a ping within ${limits.runner_pong / 1000} s.`);
  }
}
