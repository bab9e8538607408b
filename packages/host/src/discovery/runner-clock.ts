/** The part of the host's clock that runners and their runs need: milliseconds since 1970, never set back. */
export interface RunnerClock {
  now(): number;
  /** Runs `wake` once at or after `at`; returns how to call it off. */
  at(at: number, wake: () => void): () => void;
}
