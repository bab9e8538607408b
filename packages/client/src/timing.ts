import { limits } from '@rostra/protocol/wire/limits';

/** Time and chance as the client sees them; tests bring their own. */
export interface Timing {
  /** Calls `act` after so many milliseconds; the answer calls it off. */
  after(ms: number, act: () => void): () => void;
  /** From 0 up to 1. */
  random(): number;
}

export const systemTiming: Timing = {
  after(ms, act) {
    const timer = setTimeout(act, Math.min(ms, limits.timer));
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** Resolves after the time, or as soon as the signal is given; never rejects. */
export function pause(timing: Timing, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      callOff();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const callOff = timing.after(ms, end);
    signal.addEventListener('abort', end);
  });
}

/** How long before attempt number `attempt`: twice as long each time, and never all clients at once. */
export function backoff(attempt: number, random: number): number {
  const full = Math.min(limits.reconnect_min * 2 ** attempt, limits.reconnect_max);
  return Math.round(full * (0.5 + random / 2));
}
