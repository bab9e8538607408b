import { lastInstant } from '@rostra/kernel/run/run';
import type { LiveMap } from '@rostra/transport/live-map';
import type { RunnerClock } from '../discovery/runner-clock.ts';
import type { LiveRun } from './live-run.ts';

/**
 * The deadlines of all live runs, with one timer. Sessions have them too; here they make sure that no run outlives a
 * session that is gone (RP-9.1). Nearly every run ends long before its own, and a timer for each would be set in vain.
 */
export class RunDeadlines {
  readonly #clock: RunnerClock;
  readonly #live: LiveMap<string, LiveRun>;
  readonly #late: (live: LiveRun) => void;
  #armed: { at: number; callOff: () => void } | null = null;

  constructor(clock: RunnerClock, live: LiveMap<string, LiveRun>, late: (live: LiveRun) => void) {
    this.#clock = clock;
    this.#live = live;
    this.#late = late;
  }

  /** A run that is live from now on. What moves its deadline later on moves it back: it is looked at again then. */
  watch({ run }: LiveRun): void {
    const at = lastInstant(run);
    if (this.#armed === null || at < this.#armed.at) this.#arm(at);
  }

  /** No run is live. */
  rest(): void {
    this.#armed?.callOff();
    this.#armed = null;
  }

  #arm(at: number): void {
    this.rest();
    this.#armed = { at, callOff: this.#clock.at(at, () => this.#look()) };
  }

  #look(): void {
    this.#armed = null;
    const now = this.#clock.now();
    const late: LiveRun[] = [];
    for (const live of this.#live.values()) {
      if (lastInstant(live.run) <= now) late.push(live);
      else this.watch(live);
    }
    for (const live of late) this.#late(live);
  }
}
