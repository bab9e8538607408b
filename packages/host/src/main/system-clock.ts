import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../session/clock.ts';

/**
 * The clock of this process. It begins at the wall's time and then only follows the monotonic one: setting the machine's
 * clock moves no deadline. That one stands still while the machine sleeps, so that whoever knows that nothing runs has it
 * catch up. Timers do not keep a process alive that has nothing else to do.
 */
export class SystemClock implements Clock {
  #origin = Date.now() - performance.now();

  now(): number {
    return Math.floor(this.#origin + performance.now());
  }

  /** How far the wall's time is ahead; negative when it was set back, which nobody follows. */
  get behind(): number {
    return Date.now() - performance.now() - this.#origin;
  }

  /** Goes on from the wall's time if that is ahead. What waits goes on waiting for as long as it would have. */
  catchUp(): void {
    this.#origin += Math.max(0, this.behind);
  }

  at(at: number, wake: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = () => {
      const ms = at - this.now();
      // Timers round down, and a wake before its time would be taken for the deadline.
      const rest = Math.min(Math.max(ms, 1), limits.timer);
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
