/** Time as the driver sees it: monotonic within a process, milliseconds since 1970, never set back. */
export interface Clock {
  now(): number;
  /** Runs `wake` once at or after `at`; returns how to call it off. */
  at(at: number, wake: () => void): () => void;
  /** Runs `task` before the process goes back to waiting for IO. */
  soon(task: () => void): void;
}
