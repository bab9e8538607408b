import { AgentAPIError, type ApiErrorCode } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';

interface RostraErrorOptions {
  readonly retryable?: boolean;
  readonly details?: JsonObject;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

/** A call that the host refused, or that did not reach it: then `status` is 0. */
export class RostraError extends Error {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly retryable: boolean;
  /** `reason` is the finer word, `hint` what a person can do about it. */
  readonly details: JsonObject;
  /** Milliseconds that the host asked to wait; null when it named none. */
  readonly retryAfter: number | null;

  constructor(status: number, code: ApiErrorCode, message: string, options: RostraErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'RostraError';
    this.status = status;
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
    this.retryAfter = options.retryAfter ?? null;
  }

  get reason(): string | null {
    return typeof this.details.reason === 'string' ? this.details.reason : null;
  }
}

/** No answer came: nobody listens, the connection broke, or what came is no answer of a host. */
export function unreachable(cause: unknown): RostraError {
  return new RostraError(0, 'runtime_error', 'the host cannot be reached', { retryable: true, cause });
}

/** What a refusal says; something between us and the host may have answered in words of its own. */
export async function refusalOf(response: Response): Promise<RostraError> {
  const { status } = response;
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : null;
  const parsed = AgentAPIError.safeParse(await jsonOf(response));
  if (parsed.success) {
    const { code, message, retryable, details } = parsed.data;
    return new RostraError(status, code, message, { retryable, details, retryAfter });
  }
  const retryable = status >= 500 || status === 429;
  return new RostraError(status, 'runtime_error', `the answer had status ${status}`, { retryable, retryAfter });
}

async function jsonOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof Error) return null;
    throw error;
  }
}
