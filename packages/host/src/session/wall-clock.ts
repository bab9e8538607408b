import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from './clock.ts';

/**
 * The wall's time, by which tokens, keys and logins end and schedules are read: others have dated them, and they come
 * while the machine sleeps, too. It may be set, so that whoever waits for an instant looks again and again.
 */
export class WallClock implements Clock {
  readonly #clock: Clock;
  readonly now: () => number;

  /** `clock` measures how long is waited. */
  constructor(clock: Clock, now = Date.now) {
    this.#clock = clock;
    this.now = now;
  }

  at(at: number, wake: () => void): () => void {
    const clock = this.#clock;
    const arm = () => {
      const wait = Math.min(Math.max(at - this.now(), 0), limits.wall_look);
      return clock.at(clock.now() + wait, () => {
        if (this.now() >= at) wake();
        else callOff = arm();
      });
    };
    let callOff = arm();
    return () => callOff();
  }

  soon(task: () => void): void {
    this.#clock.soon(task);
  }
}
