import type { Clock } from '../session/clock.ts';

/** Longer timers than this overflow and would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/**
 * The clock of this process. It begins at the wall's time and then only follows the monotonic one: setting the machine's
 * clock moves no deadline. Timers do not keep a process alive that has nothing else to do.
 */
export class SystemClock implements Clock {
  readonly #origin = Date.now() - performance.now();

  now(): number {
    return Math.floor(this.#origin + performance.now());
  }

  at(at: number, wake: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = () => {
      const ms = at - this.now();
      // Timers round down, and a wake before its time would be taken for the deadline.
      const rest = Math.min(Math.max(ms, 1), TIMER_MS_MAX);
      timer = setTimeout(() => (this.now() >= at ? wake() : arm()), rest).unref();
    };
    arm();
    return () => clearTimeout(timer);
  }

  /** After all IO that is at hand, so that what came together is stepped together. */
  soon(task: () => void): void {
    setImmediate(task);
  }
}
