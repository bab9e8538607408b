import { ApiError } from '@rostra/protocol/wire/api-error';

/** Too many of its messages could not be processed. */
export function readOnly(): ApiError {
  const hint = 'Use a new thread; this one can be read, and is tried again when it has rested.';
  return new ApiError('runtime_error', 'this session failed repeatedly and is read-only now', {
    details: { reason: 'SESSION_QUARANTINED', hint },
  });
}

/** Its driver is gone; the next message loads it again. */
export function unavailable(): ApiError {
  return new ApiError('runtime_error', 'this session is being loaded again', { retryable: true });
}
