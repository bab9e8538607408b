import type { RunFailure } from '@rostra/protocol/wire/reason';

/** No runner process could be had: what every run that waits for it ends with. */
export class RunnerStartError extends Error {
  readonly code: RunFailure;
  readonly retryable: boolean;
  /** Whether a process was started for it, in vain. */
  readonly isCrash: boolean;

  constructor(code: Extract<RunFailure, `runner.${string}`>, message: string, retryable: boolean, isCrash = false) {
    super(message);
    this.name = 'RunnerStartError';
    this.code = code;
    this.retryable = retryable;
    this.isCrash = isCrash;
  }
}
