import { ApiError } from '@rostra/protocol/wire/api-error';
import { type Refusal, StoreError } from './refusal.ts';

/** A refusal of the store as everyone outside of it knows refusals. */
export function toApiError({ code = 'runtime_error', reason, message, retryable, hint }: Refusal): ApiError {
  const details = hint === undefined ? { reason } : { reason, hint };
  return new ApiError(code, message, { retryable, details });
}

/** Any error of the store; bugs pass unchanged. */
export function refused(error: unknown): Error {
  if (error instanceof StoreError) {
    const refusal = toApiError(error.refusal);
    refusal.cause = error.cause;
    return refusal;
  }
  return error instanceof Error ? error : new Error(String(error));
}
