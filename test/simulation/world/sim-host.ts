import { SessionRuntime } from '@rostra/host/session/session-runtime';
import { Gate } from './gate.ts';
import { type AgentSurroundings, SimAgents } from './sim-agents.ts';
import { type BusSurroundings, SimBus } from './sim-bus.ts';
import { SimClock } from './sim-clock.ts';
import { SimManager } from './sim-manager.ts';
import type { SimProcess } from './sim-process.ts';
import { SimStore, type StoreSurroundings } from './sim-store.ts';

export interface HostSurroundings extends BusSurroundings, StoreSurroundings, AgentSurroundings {
  entering(host: SimHost): void;
  report(host: SimHost, event: string, details: Record<string, unknown>): void;
}

/** One process: the real runtime and SessionManager, with a clock, a bus, a store and agents that the seed rules. */
export class SimHost implements SimProcess {
  readonly name: string;
  readonly gate: Gate;
  readonly clock: SimClock;
  readonly bus: SimBus;
  readonly runtime: SessionRuntime;
  readonly agents: SimAgents;
  /** How often it stood still. */
  pauses = 0;

  constructor(name: string, offset: number, around: HostSurroundings) {
    this.name = name;
    this.gate = new Gate(() => around.entering(this));
    this.clock = new SimClock(around.timeline, offset, this.gate);
    this.bus = new SimBus(this, around);
    this.runtime = new SessionRuntime({
      store: new SimStore(this, around),
      bus: this.bus,
      clock: this.clock,
      settings: around.profile.settings,
      holder: name,
      idle: around.profile.idle,
      sessions_in_memory: around.profile.inMemory,
      report: (event, details) => {
        if (this.isAlive) around.report(this, event, details);
      },
    });
    new SimManager(this.bus, around);
    this.agents = new SimAgents(this.bus, around);
  }

  get isAlive(): boolean {
    return this.gate.isAlive;
  }

  get isPaused(): boolean {
    return this.gate.isPaused;
  }

  /** The process is gone: nothing of it acts any more, and nobody is told. */
  kill(): void {
    this.gate.isAlive = false;
    this.agents.isAlive = false;
  }
}
