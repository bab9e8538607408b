import { z } from 'zod';
import { JsonObject } from './json.ts';

/** The seven codes of RP-8: every refusal of the host, on every channel, has one of them. */
export const ApiErrorCode = z.enum([
  'unauthorized',
  'not_found',
  'deadline_exceeded',
  'payload_too_large',
  'rate_limited',
  'invalid_argument',
  'runtime_error',
]);
export type ApiErrorCode = z.infer<typeof ApiErrorCode>;

/** The one shape of an error on the wire (RP-8). */
export const AgentAPIError = z.object({
  code: ApiErrorCode,
  message: z.string(),
  retryable: z.boolean().default(false),
  details: JsonObject.default({}),
});
export type AgentAPIError = z.infer<typeof AgentAPIError>;

/** A refusal inside the host. `details.reason` is the finer word, `details.hint` what a person can do about it. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly retryable: boolean;
  readonly details: JsonObject;

  constructor(code: ApiErrorCode, message: string, options: { retryable?: boolean; details?: JsonObject } = {}) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
  }

  toJSON(): AgentAPIError {
    return { code: this.code, message: this.message, retryable: this.retryable, details: this.details };
  }
}
