import { ApiError } from '@rostra/protocol/wire/api-error';

/** Why a connection is over: this side closed it, the other ended it, it broke the framing, or it stopped reading. */
export interface CloseReason {
  readonly why: 'closed' | 'ended' | 'failed' | 'framing' | 'stalled';
  readonly message: string;
}

export function closedError({ why, message }: CloseReason): ApiError {
  return new ApiError('runtime_error', message, { retryable: true, details: { connection: why } });
}
