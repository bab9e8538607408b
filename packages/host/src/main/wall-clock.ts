import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../session/clock.ts';

/**
 * The wall's time, by which tokens, keys and logins end: others have dated them, and they end while the machine sleeps,
 * too. It may be set, so that whoever waits for an instant looks again and again.
 */
export class WallClock implements Clock {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return Date.now();
  }

  at(at: number, wake: () => void): () => void {
    const clock = this.#clock;
    const arm = () => {
      const wait = Math.min(Math.max(at - this.now(), 0), limits.schedule_look);
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
