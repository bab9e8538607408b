import { setTimeout as pause } from 'node:timers/promises';
import { type Failpoint, failpoints } from '../../packages/host/src/failpoint.ts';
import { HostProcess } from '../e2e/host-process.ts';
import { auditTurns } from './audit.ts';
import { Ledger } from './ledger.ts';
import { type Chance, Load } from './load.ts';
import { orphansOf } from './orphans.ts';

export interface SiegeOptions {
  readonly kills: number;
  readonly clients: number;
  readonly chance: Chance;
  say(line: string): void;
}

export interface Verdict {
  kills: number;
  at_failpoints: number;
  turns: number;
  frames: number;
  lost: number;
  repeated: number;
  forgotten: number;
  unterminated: number;
  orphans: number;
  /** Milliseconds from the start of the process to its address. */
  restart_ms: { median: number; max: number };
  notes: string[];
}

/** A host under load does not pass these; they have tests of their own. */
const elsewhere: ReadonlySet<Failpoint> = new Set<Failpoint>([
  'migration.written',
  'session.step',
  'artifact.written',
  'artifact.renamed',
]);
const passed = failpoints.filter((name) => !elsewhere.has(name));

/** How often a short life passes what is not part of every turn. */
const rare: Readonly<Partial<Record<Failpoint, number>>> = {
  'checkpoint.begin': 2,
  'checkpoint.done': 2,
  'journal.begin': 20,
  'journal.written': 20,
  'journal.settled': 4,
  'claim.raised': 8,
  'session.recovered': 8,
};
const PASSES_MAX = 60;

const LIFE_MS_MIN = 40;
const LIFE_MS_SPAN = 600;
/** A failpoint that is not passed by then gives way to a plain kill. */
const PATIENCE_MS = 2000;
const ORPHAN_GRACE_MS = 4000;
const SETTLE_MS = 60_000;

/** A host that is killed again and again while clients use it, and what they have to say in the end. */
export class Siege {
  readonly #options: SiegeOptions;
  readonly #host = new HostProcess({ NODE_ENV: 'test' });
  readonly #ledger = new Ledger();
  readonly #starts: number[] = [];
  readonly #orphans = new Set<number>();
  #atFailpoints = 0;

  constructor(options: SiegeOptions) {
    this.#options = options;
  }

  async run(): Promise<Verdict> {
    const { kills, clients, chance, say } = this.#options;
    const load = new Load(this.#host, this.#ledger, chance);
    try {
      await this.#start({});
      const work = load.run(clients);
      for (let kill = 1; kill <= kills; kill += 1) {
        const how = await this.#kill();
        say(`kill ${kill} of ${kills}: ${how}, ${this.#ledger.turns.length} turns`);
      }
      if (!this.#host.isUp) await this.#start({});
      load.stop();
      await Promise.race([work, pause(SETTLE_MS, null, { ref: false })]);
      await auditTurns(this.#host, this.#ledger);
      await this.#host.signal('SIGTERM');
      await this.#countOrphans(null);
    } finally {
      await this.#host.dispose();
    }
    return this.#verdict();
  }

  /** One death, at a random moment or at a failpoint, and the next life of the host. */
  async #kill(): Promise<string> {
    const { chance } = this.#options;
    const point = passed[Math.floor(chance() * passed.length)];
    if (point === undefined || chance() < 0.5) {
      await pause(LIFE_MS_MIN + chance() * LIFE_MS_SPAN);
      await this.#host.signal('SIGKILL');
      await this.#revive({});
      return 'kill -9';
    }
    // The order is given to a new life: what it replaces dies as well, and counts as nothing.
    const nth = 1 + Math.floor(chance() ** 2 * (rare[point] ?? PASSES_MAX));
    await this.#host.signal('SIGKILL');
    await this.#revive({ ROSTRA_FAILPOINTS: `${point}:kill:${nth}` });
    const patience = new AbortController();
    const late = pause(PATIENCE_MS, 'late', { signal: patience.signal }).catch(() => 'called off');
    const isLate = (await Promise.race([this.#host.gone, late])) === 'late';
    patience.abort();
    if (isLate) await this.#host.signal('SIGKILL');
    else this.#atFailpoints += 1;
    await this.#revive({});
    return isLate ? `${point} was not passed ${nth} times` : `${point}, pass ${nth}`;
  }

  async #revive(env: Record<string, string>): Promise<void> {
    await this.#start(env).catch((error: unknown) => {
      // A failpoint may be passed before the host listens.
      if (env.ROSTRA_FAILPOINTS === undefined) throw error;
    });
    await this.#countOrphans(this.#host.isUp ? this.#host.pid : null);
  }

  async #start(env: Record<string, string>): Promise<void> {
    const began = performance.now();
    await this.#host.start(env);
    this.#starts.push(performance.now() - began);
  }

  /** What is left of an earlier life ends by itself, or is ended by the next one, within a moment. */
  async #countOrphans(host: number | null): Promise<void> {
    const until = performance.now() + ORPHAN_GRACE_MS;
    for (;;) {
      const orphans = orphansOf(this.#host.data, host);
      if (orphans.length === 0 || !this.#stillTheSame(host)) return;
      if (performance.now() > until) {
        for (const pid of orphans) this.#orphans.add(pid);
        return;
      }
      await pause(50);
    }
  }

  #stillTheSame(host: number | null): boolean {
    return host === null || (this.#host.isUp && this.#host.pid === host);
  }

  #verdict(): Verdict {
    const { turns, frames, lost, repeated, forgotten, unterminated, notes } = this.#ledger;
    const sorted = [...this.#starts].sort((a, b) => a - b);
    const at = (index: number) => Math.round(sorted[Math.min(index, sorted.length - 1)] ?? 0);
    return {
      kills: this.#options.kills,
      at_failpoints: this.#atFailpoints,
      turns: turns.length,
      frames,
      lost,
      repeated,
      forgotten,
      unterminated,
      orphans: this.#orphans.size,
      restart_ms: { median: at(Math.floor(sorted.length / 2)), max: at(sorted.length) },
      notes,
    };
  }
}

export function isClean({ lost, repeated, forgotten, unterminated, orphans }: Verdict): boolean {
  return lost + repeated + forgotten + unterminated + orphans === 0;
}
