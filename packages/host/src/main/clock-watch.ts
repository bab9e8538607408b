import { limits } from '@rostra/protocol/wire/limits';
import type { HostLog } from './host-log.ts';
import type { SystemClock } from './system-clock.ts';

export interface ClockWatchOptions {
  readonly clock: Pick<SystemClock, 'behind' | 'catchUp'>;
  /** Turns under way whose agents do not just wait for people. */
  readonly workingTurns: () => number;
  readonly log: Pick<HostLog, 'info'>;
}

/**
 * Has the host's clock catch up with the wall's after the machine has slept. Runners read the deadline of a run by the
 * wall, and would find that of every new one over. While a turn is under way nothing is moved: its deadlines stay as far
 * off as they are.
 */
export class ClockWatch {
  readonly #timer: NodeJS.Timeout;

  constructor({ clock, workingTurns, log }: ClockWatchOptions) {
    this.#timer = setInterval(() => {
      const ms = Math.round(clock.behind);
      if (ms < limits.clock_behind || workingTurns() > 0) return;
      clock.catchUp();
      log.info('clock.caught_up', { ms });
    }, limits.clock_look).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
