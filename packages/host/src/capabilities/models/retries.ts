import { limits } from '@rostra/protocol/wire/limits';
import { type ModelClock, pause } from './model-clock.ts';
import { type CalledModel, failureOf, type ProviderFailure } from './provider-failure.ts';

export interface RetryOptions {
  readonly called: CalledModel;
  readonly clock: ModelClock;
  readonly signal: AbortSignal;
  /** 0 to 1: callers that failed together must not come back together. */
  readonly luck: () => number;
}

/**
 * Makes a call, and makes it again while that may help: only failures that pass, only as often as is configured, and
 * never once `begun` says that something of the answer has been passed on.
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  begun: () => boolean,
  { called, clock, signal, luck }: RetryOptions,
): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      const failure = failureOf(error, called);
      const wait = begun() || attempt >= called.config.retries ? null : waitOf(failure, attempt, luck());
      if (wait === null) throw failure.error;
      await pause(clock, wait, signal);
    }
  }
}

/** A provider that asks for a long pause is not waited for: its caller may have another model. */
function waitOf({ repeatable, wait }: ProviderFailure, attempt: number, luck: number): number | null {
  if (!repeatable) return null;
  if (wait !== null) return wait <= limits.model_backoff_max ? wait + limits.model_backoff * luck : null;
  return Math.min(limits.model_backoff_max, limits.model_backoff * 2 ** attempt) * (0.5 + luck / 2);
}
