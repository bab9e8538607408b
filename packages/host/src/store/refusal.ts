import type { ApiErrorCode } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { StoreReason } from '@rostra/protocol/wire/reason';

export interface Refusal {
  /** `runtime_error` unless said otherwise. */
  code?: ApiErrorCode;
  reason: StoreReason;
  message: string;
  retryable: boolean;
  hint?: string;
}

/** A refusal inside the store's threads, which do without the schema library; the host makes an ApiError of it. */
export class StoreError extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, cause?: unknown) {
    super(refusal.message, cause === undefined ? {} : { cause });
    this.name = 'StoreError';
    this.refusal = refusal;
  }
}

export function sessionGone(session_id: string): StoreError {
  return new StoreError({
    code: 'not_found',
    reason: 'SESSION_GONE',
    message: `Session ${session_id} was deleted.`,
    retryable: false,
    hint: 'Start a new session under another id.',
  });
}

export function sessionHeld(session_id: string): StoreError {
  return new StoreError({
    reason: 'SESSION_HELD',
    message: `Session ${session_id} is held by another process.`,
    retryable: true,
  });
}

export function searchTooLong(most: number = limits.search): StoreError {
  return new StoreError({
    code: 'deadline_exceeded',
    reason: 'SEARCH_TOO_LONG',
    message: `The search took longer than ${most} ms.`,
    retryable: true,
    hint: 'Search again, for fewer or rarer words.',
  });
}
