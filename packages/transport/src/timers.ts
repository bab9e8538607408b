import { limits } from '@rostra/protocol/wire/limits';

/** Waiting, as a port: tests move time by hand. */
export interface Timers {
  /** Runs `wake` once after `ms` milliseconds, or with none in the next turn of the event loop; returns how to call it off. */
  after(ms: number, wake: () => void): () => void;
}

export const systemTimers: Timers = {
  after(ms, wake) {
    // A timer takes a millisecond at least.
    if (ms === 0) {
      const turn = setImmediate(wake);
      return () => clearImmediate(turn);
    }
    const timer = setTimeout(wake, Math.min(ms, limits.timer));
    return () => clearTimeout(timer);
  },
};
