import type { AgentAPIError, ApiErrorCode } from '@rostra/protocol/wire/api-error';

/** A sentence about what a question or an answer may not be, with what to do about it. */
export function refusal(message: string, hint: string, code: ApiErrorCode = 'invalid_argument'): AgentAPIError {
  return { code, message, retryable: false, details: { hint } };
}
