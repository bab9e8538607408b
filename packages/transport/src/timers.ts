/** Waiting, as a port: tests move time by hand. */
export interface Timers {
  /** Runs `wake` once after `ms` milliseconds; returns how to call it off. */
  after(ms: number, wake: () => void): () => void;
}

export const systemTimers: Timers = {
  after(ms, wake) {
    const timer = setTimeout(wake, ms);
    return () => clearTimeout(timer);
  },
};
