import { AgentAPIError, ApiError, type ApiErrorCode } from '@rostra/protocol/wire/api-error';
import type { FrameError } from '@rostra/protocol/wire/frame';

const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;
const SERVER_ERROR = -32_000;

const numbers: Partial<Record<ApiErrorCode, number>> = { invalid_argument: INVALID_PARAMS };

/** A refusal as it crosses: JSON-RPC's number for strangers, AgentAPIError for those who know us (RP-8). */
export function frameErrorOf(error: ApiError): FrameError {
  return { code: numbers[error.code] ?? SERVER_ERROR, message: error.message, data: error.toJSON() };
}

export function unknownMethod(method: string): FrameError {
  const error = new ApiError('not_found', `There is no method ${method.slice(0, 64)}.`);
  return { ...frameErrorOf(error), code: METHOD_NOT_FOUND };
}

/** A bug on this side: the other side learns that it happened, not what was in it. */
export function internalError(): FrameError {
  const error = new ApiError('runtime_error', 'The request failed because of a fault on the other side.');
  return { ...frameErrorOf(error), code: INTERNAL_ERROR };
}

/** What a refused request throws at its caller. */
export function apiErrorOf({ code, message, data }: FrameError): ApiError {
  const known = AgentAPIError.safeParse(data);
  if (!known.success) return new ApiError('runtime_error', message, { details: { rpc_code: code } });
  const { retryable, details } = known.data;
  return new ApiError(known.data.code, known.data.message, { retryable, details });
}
