import { SessionRuntime } from '@rostra/host/session/session-runtime';
import { type AgentSurroundings, SimAgents } from './sim-agents.ts';
import { type BusSurroundings, SimBus } from './sim-bus.ts';
import { SimClock } from './sim-clock.ts';
import { SimManager } from './sim-manager.ts';
import { SimStore, type StoreSurroundings } from './sim-store.ts';

export interface HostSurroundings extends BusSurroundings, StoreSurroundings, AgentSurroundings {
  report(event: string, details: Record<string, unknown>): void;
}

/** One process: the real runtime and SessionManager, with a clock, a bus, a store and agents that the seed rules. */
export class SimHost {
  readonly clock: SimClock;
  readonly bus: SimBus;
  readonly runtime: SessionRuntime;
  readonly #store: SimStore;
  readonly #agents: SimAgents;

  constructor(name: string, offset: number, around: HostSurroundings) {
    this.clock = new SimClock(around.timeline, offset);
    this.bus = new SimBus(around);
    this.#store = new SimStore(name, around);
    this.runtime = new SessionRuntime({
      store: this.#store,
      bus: this.bus,
      clock: this.clock,
      settings: around.profile.settings,
      report: (event, details) => {
        if (this.clock.isAlive) around.report(event, details);
      },
    });
    new SimManager(this.bus, around);
    this.#agents = new SimAgents(this.bus, around);
  }

  /** The process is gone: nothing of it acts any more, and nobody is told. */
  kill(): void {
    this.clock.isAlive = false;
    this.bus.isAlive = false;
    this.#store.isAlive = false;
    this.#agents.isAlive = false;
  }
}
