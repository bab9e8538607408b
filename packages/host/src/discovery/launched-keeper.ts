import type { ProcessSharing } from '@rostra/protocol/config/agent-config';
import type { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import { limits } from '@rostra/protocol/wire/limits';
import type { Timers } from '@rostra/transport/timers';
import type { Launch } from './launcher.ts';
import { LiveRunner, type LiveRunnerEvents } from './live-runner.ts';
import type { PackageKeeper } from './package-keeper.ts';
import type { PidFile } from './pid-file.ts';
import { Quarantine } from './quarantine.ts';
import { placeOf } from './run-place.ts';
import type { RunnerClock } from './runner-clock.ts';
import { RunnerLog, type RunnerLogSink } from './runner-log.ts';
import type { LaunchedPackage } from './runner-package.ts';
import type { PackageStatus, RunnerDescriptor, RunPlaceKey } from './runner-pool.ts';
import { RunnerStartError } from './runner-start-error.ts';

export interface LaunchedKeeperOptions {
  readonly package: LaunchedPackage;
  readonly clock: RunnerClock;
  readonly log: RunnerLogSink;
  readonly pids: PidFile;
  /** Starts one process; what goes wrong before there is one is a RunnerStartError. */
  readonly launch: Launch;
  /** Called when the listing is another than before. */
  readonly onListing: () => void;
}

/** A process and what it is for. A spare has run nothing yet and so may go to any place. */
interface Kept {
  readonly live: LiveRunner;
  place: string | null;
  sharing: ProcessSharing;
  rested_at: number;
  /** It has said what it offers. */
  introduced: boolean;
}

/** Starts, watches, restarts and ends the processes of one package. */
export class LaunchedKeeper implements PackageKeeper {
  readonly #options: LaunchedKeeperOptions;
  readonly #package: LaunchedPackage;
  readonly #timers: Timers;
  readonly #log: RunnerLog;
  readonly #quarantine: Quarantine;
  readonly #kept = new Map<LiveRunner, Kept>();
  readonly #places = new Map<string, Kept>();
  readonly #opening = new Map<string, Promise<Kept>>();
  readonly #events: LiveRunnerEvents;
  #listing: ReadonlyMap<string, AgentRunnerManifest> | null = null;
  #failure: RunnerStartError | null = null;
  #discovering: Promise<void> | null = null;
  #starting = 0;
  #restarts = 0;
  #over = false;

  constructor(options: LaunchedKeeperOptions) {
    const { clock, package: pkg, pids } = options;
    this.#options = options;
    this.#package = pkg;
    this.#timers = { after: (ms, wake) => clock.at(clock.now() + ms, wake) };
    this.#log = new RunnerLog(pkg.name, clock, options.log);
    this.#quarantine = new Quarantine(pkg.name, clock);
    this.#events = {
      rested: (live) => this.#rested(live),
      drained: (live) => this.#drained(live),
      spawned: ({ pid, started }) => pids.add(pid, started),
      reaped: (pid) => pids.remove(pid),
    };
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
    return this.#over && this.#kept.size === 0 && this.#starting === 0;
  }

  discover(): Promise<void> {
    this.#discovering ??= this.#list()
      .catch((error: unknown) => {
        if (!(error instanceof RunnerStartError)) throw error;
      })
      .finally(() => {
        this.#discovering = null;
      });
    return this.#discovering;
  }

  ready(key: RunPlaceKey): RunnerDescriptor | null {
    const kept = this.#places.get(placeOf(key, key.processes ?? this.#package.processes));
    return kept?.live.isOpen === true ? this.#describe(kept, key.runner_id) : null;
  }

  async open(key: RunPlaceKey): Promise<RunnerDescriptor> {
    const sharing = key.processes ?? this.#package.processes;
    const kept = await this.#openPlace(placeOf(key, sharing), sharing);
    const found = this.#describe(kept, key.runner_id);
    if (found !== null) return found;
    const message = `The package ${this.name} does not offer the runner ${key.runner_id} any more.`;
    throw new RunnerStartError('runner.not_found', message, false);
  }

  sweep(): void {
    const now = this.#options.clock.now();
    for (const [live, { sharing, place, rested_at }] of this.#kept) {
      if (!live.isOpen) continue;
      const idle = live.runs === 0 && place !== null ? now - rested_at : 0;
      const patience = sharing === 'run' ? limits.runner_start : limits.runner_idle;
      if (sharing !== 'shared' && idle >= patience) live.drain();
      else void this.#ping(live);
    }
    // A quarantine that is over ends with a try, so that what the package offers is known again.
    if (this.#failure?.code === 'runner.quarantined' && !this.#quarantine.isOn && !this.#over) void this.discover();
  }

  status(): PackageStatus {
    const { name, origin, source, enabled, isolation, processes } = this.#package;
    const lives = [...this.#kept.keys()];
    return {
      name,
      origin,
      source,
      enabled,
      isolation,
      processes,
      state: this.#state(),
      pids: lives.flatMap(({ pid }) => pid ?? []),
      runs: lives.reduce((sum, { runs }) => sum + runs, 0),
      restarts: this.#restarts,
      runners: [...(this.#listing?.values() ?? [])],
      reason: this.#failure?.message ?? null,
    };
  }

  quarantine(why: string): void {
    this.#quarantine.impose(why);
    this.#putAside();
  }

  end_quarantine(): void {
    if (!this.#quarantine.isOn) return;
    this.#quarantine.end();
    this.#failure = null;
    void this.discover();
  }

  restart(): void {
    if (this.#over) return;
    this.#quarantine.end();
    this.#failure = null;
    // A process that all runs share is replaced as it drains; of the others the next run starts one.
    for (const live of this.#kept.keys()) live.drain();
    void this.discover();
  }

  retire(): void {
    this.#over = true;
    for (const live of this.#kept.keys()) live.drain();
  }

  async stop(): Promise<void> {
    this.#over = true;
    await Promise.all([...this.#kept.keys()].map((live) => live.stop()));
    await Promise.allSettled([...this.#opening.values(), this.#discovering]);
    this.#log.close();
  }

  #describe({ live, sharing }: Kept, runner_id: string): RunnerDescriptor | null {
    const manifest = live.runners.get(runner_id);
    if (manifest === undefined) return null;
    return { manifest, connection: live, package_name: this.name, processes: sharing };
  }

  #state(): PackageStatus['state'] {
    if (this.#quarantine.isOn) return 'quarantined';
    if (this.#starting > 0 && this.#up().length === 0) return 'starting';
    return this.#listing !== null && this.#failure === null && !this.#over ? 'ready' : 'stopped';
  }

  #up(): Kept[] {
    return [...this.#kept.values()].filter(({ live, introduced }) => introduced && live.isOpen);
  }

  /** Whoever is up is asked; else a spare is started, and waits for its first run. */
  async #list(): Promise<void> {
    const [up] = this.#up();
    if (up === undefined) await this.#start();
    else {
      await up.live.introduce();
      this.#listed(up);
    }
  }

  #openPlace(place: string, sharing: ProcessSharing): Promise<Kept> {
    const kept = this.#places.get(place);
    if (kept?.live.isOpen === true) return Promise.resolve(kept);
    let opening = this.#opening.get(place);
    if (opening === undefined) {
      opening = this.#fill(place, sharing).finally(() => this.#opening.delete(place));
      this.#opening.set(place, opening);
    }
    return opening;
  }

  async #fill(place: string, sharing: ProcessSharing): Promise<Kept> {
    // A process that is on its way for the listing may do; if it fails, this start would have failed the same way.
    if (this.#spare() === undefined && this.#discovering !== null) {
      await this.#discovering;
      if (this.#failure !== null) throw this.#failure;
    }
    const kept = this.#spare() ?? (await this.#start());
    kept.place = place;
    kept.sharing = sharing;
    kept.rested_at = this.#options.clock.now();
    this.#places.set(place, kept);
    return kept;
  }

  #spare(): Kept | undefined {
    return this.#up().find(({ place }) => place === null);
  }

  async #start(): Promise<Kept> {
    this.#starting += 1;
    try {
      this.#refuse();
      const { pids, launch, clock } = this.#options;
      const onStderr = (line: string) => this.#log.printed('stderr', line);
      const carrier = await launch(this.#package, onStderr, this.#timers);
      if (carrier.pid !== undefined) pids.add(carrier.pid);
      const live = new LiveRunner({ carrier, log: this.#log, timers: this.#timers, events: this.#events });
      const sharing = this.#package.processes;
      const kept: Kept = { live, place: null, sharing, rested_at: clock.now(), introduced: false };
      this.#kept.set(live, kept);
      void live.lost.then((sentence) => this.#lost(kept, sentence));
      await live.introduce();
      if (this.#over) {
        live.drain();
        throw shuttingDown();
      }
      this.#listed(kept);
      return kept;
    } catch (error) {
      throw error instanceof RunnerStartError ? this.#failed(error) : error;
    } finally {
      this.#starting -= 1;
    }
  }

  /** Throws why nothing is started now. */
  #refuse(): void {
    if (this.#over) throw shuttingDown();
    const { refusal } = this.#quarantine;
    if (refusal !== null) throw refusal;
    if (this.#kept.size < limits.runner_processes) return;
    const idle = this.#up().filter(({ live }) => live.runs === 0);
    const [oldest] = idle.sort((one, two) => one.rested_at - two.rested_at);
    if (oldest === undefined) {
      const message = `The package ${this.name} has ${limits.runner_processes} processes, and all are at work.`;
      throw new RunnerStartError('runner.busy', message, true);
    }
    oldest.live.drain();
  }

  #listed(kept: Kept): void {
    const { runners } = kept.live;
    const isNew = JSON.stringify([...(this.#listing ?? [])]) !== JSON.stringify([...runners]);
    kept.introduced = true;
    this.#listing = runners;
    this.#failure = null;
    if (isNew) this.#options.onListing();
  }

  /** Takes note of a start that failed; returns what to say of it. */
  #failed(error: RunnerStartError): RunnerStartError {
    if (error.code === 'runner.busy' || this.#over) return error;
    if (error.isCrash && error.code === 'runner.quarantined') this.#quarantine.impose(error.message);
    else if (error.isCrash) this.#crashed(error.message);
    this.#failure = error;
    if (error.isCrash) this.#putAside();
    return error;
  }

  #crashed(sentence: string): void {
    this.#restarts += 1;
    this.#quarantine.crashed(sentence);
  }

  /** In quarantine nothing new begins; what is live may end. */
  #putAside(): void {
    const { refusal } = this.#quarantine;
    if (refusal === null) return;
    this.#failure = refusal;
    this.#log.warn(refusal.message);
    for (const live of this.#kept.keys()) live.drain();
  }

  /** A process is gone. One that all runs share is started again at once, so that the next run finds it warm. */
  #lost(kept: Kept, sentence: string): void {
    const { live, place } = kept;
    this.#kept.delete(live);
    if (live.pid !== undefined) this.#options.pids.remove(live.pid);
    const wasInUse = place === null || this.#places.get(place) === kept;
    this.#vacate(kept);
    if (!kept.introduced || this.#over) return;
    if (!live.wasAsked) {
      this.#failure = new RunnerStartError('runner.start_failed', sentence, true);
      this.#crashed(sentence);
      this.#putAside();
    }
    if (kept.sharing === 'shared' && wasInUse) this.#replace(place);
  }

  #drained(live: LiveRunner): void {
    const kept = this.#kept.get(live);
    if (kept === undefined) return;
    this.#vacate(kept);
    if (!this.#over && kept.sharing === 'shared') this.#replace(kept.place);
  }

  #replace(place: string | null): void {
    if (this.#quarantine.isOn) return;
    if (place === null) void this.discover();
    else {
      this.#openPlace(place, 'shared').catch((error: unknown) => {
        // It stands in the status, and each run that needs the process is told.
        if (!(error instanceof RunnerStartError)) throw error;
      });
    }
  }

  #vacate(kept: Kept): void {
    if (kept.place !== null && this.#places.get(kept.place) === kept) this.#places.delete(kept.place);
  }

  #rested(live: LiveRunner): void {
    const kept = this.#kept.get(live);
    if (kept === undefined) return;
    kept.rested_at = this.#options.clock.now();
    if (kept.sharing === 'run') live.drain();
  }

  async #ping(live: LiveRunner): Promise<void> {
    if ((await live.ping(limits.runner_pong)) || !live.isOpen) return;
    await live.condemn(`It did not answer a ping within ${limits.runner_pong / 1000} s.`);
  }
}

function shuttingDown(): RunnerStartError {
  return new RunnerStartError('runner.start_failed', 'The host is shutting down.', true);
}
