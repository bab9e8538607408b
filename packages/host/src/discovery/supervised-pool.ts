import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { AgentRunnerManifest } from '@rostra/protocol/runner/manifest';
import { limits } from '@rostra/protocol/wire/limits';
import { LaunchedKeeper } from './launched-keeper.ts';
import { type Launch, type LauncherOptions, launcherOf } from './launcher.ts';
import type { PackageKeeper } from './package-keeper.ts';
import { PidFile } from './pid-file.ts';
import { type RemoteDoor, RemoteKeeper } from './remote-keeper.ts';
import type { RunnerClock } from './runner-clock.ts';
import { quoted, type RunnerLogSink } from './runner-log.ts';
import type { FoundPackages, RunnerPackage, SkippedSource } from './runner-package.ts';
import type { PackageStatus, RunnerDescriptor, RunnerPool, RunPlaceKey } from './runner-pool.ts';
import { RunnerStartError } from './runner-start-error.ts';

export interface SupervisedPoolOptions extends LauncherOptions {
  /** Reads the sources; called at start, at a reload, and once for each runner that is asked for and not known. */
  readonly find: () => FoundPackages;
  readonly clock: RunnerClock;
  readonly log: RunnerLogSink;
  /** Called when there are other runners than before. */
  readonly onChange?: () => void;
}

interface Entry {
  readonly definition: string;
  readonly package: RunnerPackage;
  readonly keeper: PackageKeeper;
}

/** Only what the host brings along may use these. */
const OFFICIAL = 'rostra/';

/** Every runner of one host. */
export class SupervisedPool implements RunnerPool {
  readonly #options: SupervisedPoolOptions;
  readonly #launch: Launch;
  readonly #pids: PidFile;
  /** By package name, in the order of the configuration. */
  #entries: ReadonlyMap<string, Entry> = new Map();
  #skipped: readonly SkippedSource[] = [];
  #disabled: readonly RunnerPackage[] = [];
  #byRunner: ReadonlyMap<string, Entry> = new Map();
  #warned = new Set<string>();
  readonly #retired = new Set<PackageKeeper>();
  #searching: Promise<void> | null = null;
  #callOffSweep: (() => void) | null = null;

  constructor(options: SupervisedPoolOptions) {
    this.#options = options;
    this.#launch = launcherOf(options);
    this.#pids = new PidFile(path.join(options.folder, 'processes.json'));
  }

  /** Ends what an earlier host left running, then finds and starts everything in the background. */
  start(): void {
    mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 });
    const orphans = this.#pids.reap();
    if (orphans.length > 0) this.#warn('host', `ended ${orphans.length} runner processes that an earlier host left`);
    this.reload();
    this.#sweep();
  }

  /** Takes up the sources as they are now. What is unchanged keeps its processes and leaves its quarantine. */
  reload(): void {
    this.#adopt(this.#options.find());
    for (const { keeper } of this.#entries.values()) keeper.end_quarantine();
  }

  /** Resolves when every package has said what it offers, or has failed to. */
  async discovered(): Promise<void> {
    await Promise.all(this.#keepers().map(({ discovering }) => discovering));
  }

  ready(key: RunPlaceKey): RunnerDescriptor | null {
    const entry = this.#byRunner.get(key.runner_id);
    return entry === undefined || !isBound(key, entry) ? null : entry.keeper.ready(key);
  }

  async open(key: RunPlaceKey): Promise<RunnerDescriptor> {
    const entry = (await this.#await(key.runner_id)) ?? (await this.#search(key.runner_id));
    if (entry === undefined) throw this.#notFound(key.runner_id);
    if (!isBound(key, entry)) {
      const message = `The agent may not use the runner ${quoted(key.runner_id)}: it is outside the packages that the agent is bound to.`;
      throw new RunnerStartError('runner.unauthorized', message, false);
    }
    return entry.keeper.open(key);
  }

  list(): { package_name: string; manifest: AgentRunnerManifest }[] {
    return [...this.#byRunner].flatMap(([runner_id, { keeper }]) => {
      const manifest = keeper.listing?.get(runner_id);
      return manifest === undefined ? [] : [{ package_name: keeper.name, manifest }];
    });
  }

  status(): PackageStatus[] {
    const skipped = this.#skipped.map((source): PackageStatus => ({ ...nothing, ...source }));
    const disabled = this.#disabled.map(({ name, origin, source, processes, ...rest }): PackageStatus => {
      const isolation = 'isolation' in rest ? rest.isolation : null;
      const reason = 'It is disabled in the configuration.';
      return { ...nothing, name, origin, source, processes, isolation, enabled: false, reason };
    });
    return [...this.#keepers().map((keeper) => keeper.status()), ...disabled, ...skipped];
  }

  quarantine(package_name: string, why: string): boolean {
    const entry = this.#entries.get(package_name);
    entry?.keeper.quarantine(why);
    return entry !== undefined;
  }

  end_quarantine(package_name: string): boolean {
    const entry = this.#entries.get(package_name);
    entry?.keeper.end_quarantine();
    return entry !== undefined;
  }

  /** False if there is no such package, or it is not enabled. */
  restart(package_name: string): boolean {
    const entry = this.#entries.get(package_name);
    entry?.keeper.restart();
    return entry !== undefined;
  }

  /** Where a remote runner with this token comes in; null if nobody has it. */
  door(token: string): RemoteDoor | null {
    let door: RemoteDoor | null = null;
    // All of them are compared, so that the time tells nothing about which one was near.
    for (const { keeper } of this.#entries.values()) {
      if (keeper instanceof RemoteKeeper && keeper.admits(token)) door = keeper;
    }
    return door;
  }

  async stop(): Promise<void> {
    this.#callOffSweep?.();
    await Promise.all([...this.#keepers(), ...this.#retired].map((keeper) => keeper.stop()));
  }

  #keepers(): PackageKeeper[] {
    return [...this.#entries.values()].map(({ keeper }) => keeper);
  }

  #adopt({ packages, skipped }: FoundPackages): void {
    const before = this.#entries;
    const entries = new Map<string, Entry>();
    for (const pkg of packages.filter(({ enabled }) => enabled)) {
      const definition = JSON.stringify(pkg);
      const known = before.get(pkg.name);
      const entry = known?.definition === definition ? known : { definition, package: pkg, keeper: this.#keep(pkg) };
      entries.set(pkg.name, entry);
    }
    this.#entries = entries;
    this.#skipped = skipped;
    this.#disabled = packages.filter(({ enabled }) => !enabled);
    for (const { name, reason } of skipped) this.#warnOnce(name, reason);
    for (const entry of before.values()) if (entries.get(entry.keeper.name) !== entry) this.#retire(entry.keeper);
    this.#index();
    for (const { keeper } of entries.values()) {
      if (keeper.listing === null && keeper.failure?.code !== 'runner.quarantined') void keeper.discover();
    }
  }

  #keep(pkg: RunnerPackage): PackageKeeper {
    const { clock, log } = this.#options;
    const onListing = () => this.#index();
    if (pkg.origin === 'remote') return new RemoteKeeper({ package: pkg, clock, log, onListing });
    return new LaunchedKeeper({ package: pkg, clock, log, pids: this.#pids, launch: this.#launch, onListing });
  }

  #retire(keeper: PackageKeeper): void {
    this.#retired.add(keeper);
    keeper.retire();
  }

  /** Which package carries which runner: the first that lists it, in the order of the configuration. */
  #index(): void {
    const before = [...this.#byRunner.keys()].join('\n');
    const byRunner = new Map<string, Entry>();
    for (const entry of this.#entries.values()) {
      for (const runner_id of entry.keeper.listing?.keys() ?? []) {
        const holder = byRunner.get(runner_id);
        if (runner_id.startsWith(OFFICIAL) && entry.package.origin !== 'official') {
          this.#warnOnce(
            entry.keeper.name,
            `runner ${quoted(runner_id)} is left out: ids in ${OFFICIAL} are the host's`,
          );
        } else if (holder === undefined) byRunner.set(runner_id, entry);
        else {
          const text = `runner ${quoted(runner_id)} is left out: the package ${holder.keeper.name} has it already`;
          this.#warnOnce(entry.keeper.name, text);
        }
      }
    }
    this.#byRunner = byRunner;
    if ([...byRunner.keys()].join('\n') !== before) this.#options.onChange?.();
  }

  /** The package of a runner, waiting for those that have not yet said what they offer. */
  async #await(runner_id: string): Promise<Entry | undefined> {
    for (;;) {
      const entry = this.#byRunner.get(runner_id);
      const asked = this.#keepers().flatMap(({ discovering }) => discovering ?? []);
      if (entry !== undefined || asked.length === 0) return entry;
      await Promise.race(asked);
    }
  }

  /** A miss looks once more, at the sources and at what is up, before the answer is "not found". */
  async #search(runner_id: string): Promise<Entry | undefined> {
    this.#searching ??= this.#discoverAgain().finally(() => {
      this.#searching = null;
    });
    await this.#searching;
    return this.#byRunner.get(runner_id);
  }

  async #discoverAgain(): Promise<void> {
    this.#adopt(this.#options.find());
    await Promise.all(this.#keepers().map((keeper) => keeper.discover()));
    this.#index();
  }

  #notFound(runner_id: string): RunnerStartError {
    // A package that did not start may be the one that has it.
    const [failure] = this.#keepers().flatMap((keeper) => (keeper.listing === null ? (keeper.failure ?? []) : []));
    if (failure !== undefined) return failure;
    const disabled = this.#disabled.map(({ name }) => name).join(', ');
    const hint = disabled === '' ? '' : ` Disabled packages: ${disabled}.`;
    const message = `No package offers the runner ${quoted(runner_id)}.${hint}`;
    return new RunnerStartError('runner.not_found', message, false);
  }

  #sweep(): void {
    const { clock } = this.#options;
    this.#callOffSweep = clock.at(clock.now() + limits.runner_ping, () => {
      for (const keeper of [...this.#keepers(), ...this.#retired]) keeper.sweep();
      for (const keeper of this.#retired) if (keeper.isGone) this.#retired.delete(keeper);
      this.#sweep();
    });
  }

  #warnOnce(runner: string, text: string): void {
    const line = `${runner}: ${text}`;
    if (this.#warned.has(line)) return;
    this.#warned.add(line);
    this.#warn(runner, text);
  }

  #warn(runner: string, text: string): void {
    this.#options.log({ runner, kind: 'warning', text });
  }
}

const nothing = {
  enabled: true,
  isolation: null,
  processes: 'shared',
  state: 'stopped',
  pids: [],
  runs: 0,
  restarts: 0,
  runners: [],
} as const;

function isBound({ packages }: RunPlaceKey, { keeper }: Entry): boolean {
  return packages === undefined || packages.includes(keeper.name);
}
