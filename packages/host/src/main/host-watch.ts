import type { Bus } from '../bus/port.ts';
import { HostMetrics, type HostReadings } from '../metrics/host-metrics.ts';
import { LoopWatch } from '../metrics/loop-watch.ts';
import { observed } from '../metrics/observed-bus.ts';
import { TurnWatch } from '../metrics/turn-watch.ts';
import type { CommitWatch } from '../store/commit-loop.ts';
import type { HostLog } from './host-log.ts';

/** What an operator sees of a running host: counters, the page for Prometheus, one line for each turn that ended. */
export class HostWatch {
  readonly #metrics: HostMetrics;
  readonly #turns: TurnWatch;
  readonly #loop: LoopWatch;

  constructor(log: HostLog) {
    const ended = (turn: object) => log.info('turn.ended', { ...turn });
    this.#metrics = new HostMetrics(() => performance.now(), ended);
    this.#turns = new TurnWatch(this.#metrics);
    this.#loop = new LoopWatch((ms) => log.warn('loop.blocked', { ms }));
  }

  get commits(): CommitWatch {
    return this.#metrics;
  }

  /** The bus that the parts of the host share, seen by this watch as well. */
  observe(bus: Bus): Bus {
    return observed(bus, (committed) => this.#turns.committed(committed));
  }

  page(version: string, readings: HostReadings): string {
    return this.#metrics.text(version, readings, this.#loop);
  }

  close(): void {
    this.#loop.close();
  }
}
