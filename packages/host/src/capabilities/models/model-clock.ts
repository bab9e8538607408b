/** The part of the host's clock that calls to models need, and the luck that spreads their repetitions. */
export interface ModelClock {
  now(): number;
  /** Runs `wake` once at or after `at`; returns how to call it off. */
  at(at: number, wake: () => void): () => void;
}

export const wallClock: ModelClock = {
  now: () => Date.now(),
  at(at, wake) {
    const timer = setTimeout(wake, Math.max(0, at - Date.now()));
    return () => clearTimeout(timer);
  },
};

/** Waits; ends at once, with the signal's reason, when the signal is aborted. */
export function pause(clock: ModelClock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const end = () => {
      callOff();
      reject(signal.reason);
    };
    const callOff = clock.at(clock.now() + ms, () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
    signal.addEventListener('abort', end, { once: true });
  });
}
