import type { Bus, BusTopic, Committed, Unsubscribe } from '@rostra/host/bus/port';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { Decisions } from './decisions.ts';
import type { FaultCount } from './fault-count.ts';
import type { FaultKind } from './fault-kind.ts';
import type { Rates } from './profile.ts';
import type { SimProcess } from './sim-process.ts';
import type { Timeline } from './timeline.ts';

export interface BusSurroundings {
  timeline: Timeline;
  decisions: Decisions;
  faults: FaultCount;
  rates: Rates;
  /** Something left the session: it must have been committed. */
  left(host: SimProcess, message: SessionMessage): void;
  announced(host: SimProcess, committed: Committed): void;
  crashAt(host: SimProcess, kind: FaultKind, name: string): void;
}

interface Parcel {
  topic: BusTopic;
  message: SessionMessage;
  lane: Lane;
  order: number;
  isHeld: boolean;
}

interface Lane {
  name: string;
  /** When its last message arrives: messages of one sender keep their order. */
  last: number;
  /** The newest message of it that arrived. */
  arrived: number;
}

/** The bus of one process: delays, loses, repeats and reorders what is entrusted to it, as the seed has it. */
export class SimBus implements Bus {
  readonly #host: SimProcess;
  readonly #around: BusSurroundings;
  readonly #listeners = new Map<BusTopic, Set<(message: SessionMessage) => void>>();
  readonly #lanes = new Map<string, Lane>();
  readonly #sent = new Map<string, number>();
  readonly inFlight = new Set<Parcel>();
  #order = 0;
  #newest = 0;

  constructor(host: SimProcess, around: BusSurroundings) {
    this.#host = host;
    this.#around = around;
  }

  subscribe(topic: BusTopic, listener: (message: SessionMessage) => void): Unsubscribe {
    const set = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, set.add(listener));
    return () => set.delete(listener);
  }

  follow(): Unsubscribe {
    throw new Error('nobody follows in here');
  }

  announce(committed: Committed): void {
    if (this.#host.isAlive) this.#around.announced(this.#host, committed);
  }

  publish(topic: BusTopic, message: SessionMessage): void {
    if (!this.#host.isAlive) return;
    if (topic !== 'session') this.#around.left(this.#host, message);
    const { decisions, faults, rates } = this.#around;
    const count = this.#sent.get(message.id) ?? 0;
    this.#sent.set(message.id, count + 1);
    const key = `${message.id}#${message.epoch}.${count}`;
    const isChunk = message.subtype === 'chunk';
    if (decisions.decide(`lost@${key}`, rates.lost)) {
      faults.add('message.lost');
      if (isChunk) faults.add('chunk.lost');
      return;
    }
    this.#carry(topic, message, key);
    if (topic !== 'session' && decisions.decide(`crash@${key}`, rates.crashAt)) {
      this.#around.crashAt(this.#host, 'crash.after_publish', `crash:${key}`);
      return;
    }
    if (!decisions.decide(`dup@${key}`, rates.duplicated)) return;
    const prng = decisions.prng(`dup:${key}`);
    for (let copies = prng.between(1, 3); copies > 0; copies -= 1) {
      faults.add('message.duplicated');
      this.#deliverAt(this.#around.timeline.now + prng.pick([0, 1, 5, 50, 400, 2000]), topic, message);
    }
  }

  /** Delivers at exactly this time, whatever else is on the way. */
  #deliverAt(at: number, topic: BusTopic, message: SessionMessage): void {
    const lane = { name: `copy:${message.id}`, last: 0, arrived: 0 };
    this.#put(at, { topic, message, lane, order: 0, isHeld: false });
  }

  deliverExactly(at: number, message: SessionMessage): void {
    this.#deliverAt(at, 'session', message);
  }

  #carry(topic: BusTopic, message: SessionMessage, key: string): void {
    const { decisions, rates, timeline } = this.#around;
    const prng = decisions.prng(`way:${key}`);
    const lane = this.#lane(topic === 'session' ? `${message.sender.kind}:${message.sender.id}` : `to:${topic}`);
    let at = timeline.now + prng.pick([0, 0, 0, 1, 2]);
    const isHeld = decisions.decide(`held@${key}`, rates.held);
    if (isHeld) at += prng.pick([3, 20, 80, 300]);
    this.#order += 1;
    const parcel = { topic, message, lane, order: this.#order, isHeld };
    if (decisions.decide(`reordered@${key}`, rates.reordered)) {
      this.#put(Math.max(at, lane.last) + prng.pick([1, 4, 30]), { ...parcel, isHeld: true });
      return;
    }
    lane.last = Math.max(at, lane.last);
    this.#put(lane.last, parcel);
  }

  #lane(name: string): Lane {
    const lane = this.#lanes.get(name) ?? { name, last: 0, arrived: 0 };
    this.#lanes.set(name, lane);
    return lane;
  }

  #put(at: number, parcel: Parcel): void {
    this.inFlight.add(parcel);
    this.#around.timeline.at(at, parcel.lane.name, () => {
      this.#host.gate.enter(() => {
        this.inFlight.delete(parcel);
        this.#arrive(parcel);
      });
    });
  }

  #arrive({ topic, message, lane, order, isHeld }: Parcel): void {
    const { faults } = this.#around;
    if (isHeld && order < lane.arrived) faults.add('message.overtakes_own');
    else if (isHeld && order < this.#newest) faults.add('message.overtakes_other');
    lane.arrived = Math.max(lane.arrived, order);
    this.#newest = Math.max(this.#newest, order);
    for (const listener of this.#listeners.get(topic) ?? []) listener(message);
  }
}
