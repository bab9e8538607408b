import type { ServerResponse } from 'node:http';
import { ApiError, type ApiErrorCode } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import {
  type CapabilityReason,
  ManagementReason,
  type SessionReason,
  type StoreReason,
} from '@rostra/protocol/wire/reason';

interface HttpErrorOptions {
  retryable?: boolean;
  details?: JsonObject;
  headers?: Readonly<Record<string, string>>;
  /** HTML that says the same to a person; its `Content-Type` is one of the headers. */
  page?: string;
}

/** A refusal that HTTP itself decides, with a status finer than its code. */
export class HttpError extends ApiError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly page: string | null;

  constructor(status: number, code: ApiErrorCode, message: string, options: HttpErrorOptions = {}) {
    super(code, message, options);
    this.name = 'HttpError';
    this.status = status;
    this.headers = options.headers ?? {};
    this.page = options.page ?? null;
  }
}

const statusOfCode: Readonly<Record<ApiErrorCode, number>> = {
  unauthorized: 403,
  not_found: 404,
  deadline_exceeded: 504,
  payload_too_large: 413,
  rate_limited: 429,
  invalid_argument: 422,
  runtime_error: 500,
};

/** A well-formed request that does not fit what is there: 409 instead of 422. */
const conflicts: ReadonlySet<unknown> = new Set<SessionReason | ManagementReason | StoreReason | CapabilityReason>([
  ...ManagementReason.options,
  'AGENT_REMOVED',
  'AGENT_REMOVING',
  'BUSY',
  'CONFLICT',
  'HANDOVER_PENDING',
  'INTERACTION_NOT_OPEN',
  'KNOWLEDGE_BASE_EXISTS',
  'MODEL_EXISTS',
  'MODEL_READ_ONLY',
  'NOT_INTERRUPTIBLE',
  'NO_AGENT',
  'SECRETS_LOCKED',
  'SESSION_CLOSED',
  'SESSION_CLOSING',
  'SESSION_FAILED',
  'SESSION_GONE',
  'SESSION_NOT_OPEN',
  'TOOL_SERVER_EXISTS',
  'TOOL_SERVER_READ_ONLY',
  'TX_NOT_PENDING',
]);

export function statusOf(error: ApiError): number {
  if (error instanceof HttpError) return error.status;
  const { reason } = error.details;
  if (error.code === 'invalid_argument' && conflicts.has(reason)) return 409;
  if (reason === ('REVISION_MISMATCH' satisfies StoreReason)) return 412;
  if (error.code === 'runtime_error' && error.retryable) return 503;
  return statusOfCode[error.code];
}

const RETRY_SECONDS = 1;

/** In seconds: what the refusal says, or a moment. */
function retryAfter({ details }: ApiError): string {
  const { retry_after } = details;
  return String(typeof retry_after === 'number' ? retry_after : RETRY_SECONDS);
}

/** What any failure looks like from outside. What is not a refusal is a bug: it is reported, and told without its words. */
export function toAnswer(
  failure: unknown,
  report: (failure: unknown) => void,
): { status: number; headers: Record<string, string>; body: string } {
  let error: ApiError;
  if (failure instanceof ApiError) {
    error = failure;
  } else {
    report(failure);
    error = new ApiError('runtime_error', 'the host failed to answer this request', {
      details: { hint: 'The host’s log has the reason.' },
    });
  }
  const status = statusOf(error);
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      ...(status === 429 || status === 503 ? { 'Retry-After': retryAfter(error) } : {}),
      ...(error instanceof HttpError ? error.headers : {}),
    },
    body: (error instanceof HttpError ? error.page : null) ?? JSON.stringify(error.toJSON()),
  };
}

export function sendJson(
  res: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...headers,
    'Content-Length': Buffer.byteLength(body),
  });
  res.end(body);
}

export function sendError(res: ServerResponse, failure: unknown, report: (failure: unknown) => void): void {
  const { status, headers, body } = toAnswer(failure, report);
  if (res.headersSent) {
    // Half an answer cannot be taken back; the client sees that it is cut.
    res.destroy();
    return;
  }
  sendJson(res, status, body, headers);
}
