import { limits } from '@rostra/protocol/wire/limits';
import type { FaultKind } from './fault-kind.ts';
import type { Prng } from './prng.ts';
import { type HostSurroundings, SimHost } from './sim-host.ts';

const YEAR = 365 * 24 * 3_600_000;
const EPOCH = 1_800_000_000_000;
const SKEW = 5 * 60_000;

export interface ClusterSurroundings extends HostSurroundings {
  /** What a process that starts must attend to. */
  attend(host: SimHost): void;
  /** A process is gone, and with it what it had not committed; `power`: the store lost its tail, too. */
  died(hosts: SimHost[], power: boolean, prng: Prng): void;
  /** A process stood still for so long. */
  paused(host: SimHost, ms: number): void;
}

/** The processes over the one store: they start, stand still, die and start again. */
export class Cluster {
  readonly #around: ClusterSurroundings;
  readonly #slots: (SimHost | null)[];
  readonly #offsets: number[];
  #boots = 0;

  constructor(around: ClusterSurroundings, size: number) {
    this.#around = around;
    this.#slots = Array.from({ length: size }, () => null);
    this.#offsets = Array.from({ length: size }, (_, slot) => EPOCH + slot * SKEW);
  }

  start(): void {
    for (const slot of this.#slots.keys()) this.#boot(slot);
    if (this.#slots.length > 1) this.#around.faults.add('clock.skewed');
  }

  get hosts(): SimHost[] {
    return this.#slots.filter((host) => host !== null);
  }

  /** Who drives this session now, if anybody does. */
  driverOf(session_id: string): SimHost | null {
    return this.hosts.find(({ runtime }) => runtime.driver(session_id) !== undefined) ?? null;
  }

  #boot(slot: number): void {
    const { decisions, faults, rates } = this.#around;
    this.#boots += 1;
    const name = `boot:${this.#boots}`;
    const isFirst = this.#boots <= this.#slots.length;
    let offset = this.#offsets[slot] ?? EPOCH;
    if (!isFirst && decisions.decide(`jump@${name}`, rates.jump)) {
      faults.add('clock.jumps');
      offset += decisions.prng(name).pick([-YEAR, -3_600_000, 3_600_000, YEAR]);
      this.#offsets[slot] = offset;
    }
    const host = new SimHost(name, offset, this.#around);
    this.#slots[slot] = host;
    this.#around.attend(host);
  }

  /** One process dies, or all of them with the power. */
  crash(name: string, power: boolean): void {
    const prng = this.#around.decisions.prng(name);
    const { hosts } = this;
    if (hosts.length === 0) return;
    this.#around.faults.add(power ? 'crash.power' : 'crash.process');
    this.#kill(power ? hosts : [prng.pick(hosts)], power, prng);
  }

  crashAll(name: string): void {
    this.#around.faults.add('crash.process');
    this.#kill(this.hosts, false, this.#around.decisions.prng(name));
  }

  /** A process dies at a certain place of its work. */
  crashAt(host: SimHost, kind: FaultKind, name: string): void {
    this.#around.faults.add(kind);
    this.#kill([host], false, this.#around.decisions.prng(name));
  }

  #kill(hosts: SimHost[], power: boolean, prng: Prng): void {
    const { timeline } = this.#around;
    const leftovers = hosts.flatMap(({ bus }) => [...bus.inFlight].filter(({ topic }) => topic === 'session'));
    const slots = hosts.map((host) => this.#slots.indexOf(host));
    for (const host of hosts) host.kill();
    for (const slot of slots) this.#slots[slot] = null;
    this.#around.died(hosts, power, prng);
    timeline.at(timeline.now + prng.pick([1, 20, 700]), 'boot', () => {
      for (const slot of slots) this.#boot(slot);
      for (const { message } of leftovers) this.#deliverLeftover(message);
    });
  }

  /** A message of the process before reaches the new one. */
  #deliverLeftover(message: Parameters<SimHost['bus']['deliverExactly']>[1]): void {
    const { decisions, faults, timeline } = this.#around;
    if (!decisions.decide(`leftover@${message.id}#${this.#boots}`, 0.5)) return;
    faults.add('message.stale');
    const prng = decisions.prng(`leftover:${message.id}`);
    const [host] = this.hosts;
    host?.bus.deliverExactly(timeline.now + prng.pick([0, 5, 100]), message);
  }

  /** A process stands still, about as long as a lease lives. */
  pause(name: string): void {
    const { decisions, faults, timeline } = this.#around;
    const prng = decisions.prng(name);
    const running = this.hosts.filter(({ isPaused }) => !isPaused);
    if (running.length === 0) return;
    const host = prng.pick(running);
    const ms = prng.pick([50, limits.lease - 1, limits.lease, limits.lease + 1, 2 * limits.lease]);
    faults.add('host.pauses');
    host.gate.pause();
    timeline.at(timeline.now + ms, 'pause', () => {
      if (!host.isAlive) return;
      this.#around.paused(host, ms);
      host.gate.resume();
    });
  }
}
