import { z } from 'zod';
import { ApiErrorCode } from '../wire/api-error.ts';
import { JsonObject } from '../wire/json.ts';
import { SessionReason } from '../wire/reason.ts';

/** ERROR from an agent: `run.failed`, or what the host found out about its run. */
export const RunFailedPayload = z.object({
  code: z.string(),
  message: z.string(),
  retryable: z.boolean(),
  /** What the run had cost by then; absent is unknown. */
  usage: JsonObject.optional(),
});
export type RunFailedPayload = z.infer<typeof RunFailedPayload>;

/** ERROR from the session to frontends; `ref` is the id of the message that it answers. */
export const RefusalPayload = z.object({
  ref: z.string(),
  reason: SessionReason,
  code: ApiErrorCode,
  message: z.string(),
  retryable: z.boolean(),
  details: JsonObject,
});
export type RefusalPayload = z.infer<typeof RefusalPayload>;

/** RUN_FAILED comes from an agent; the others tell frontends why something was refused or given up. */
export const ErrorPayloads = {
  RUN_FAILED: RunFailedPayload,
  REFUSED: RefusalPayload,
  ROUTE_TIMEOUT: RefusalPayload,
  CANCEL_TIMEOUT: RefusalPayload,
  AGENT_FAILED: RefusalPayload,
  ADD_AGENT_FAILED: RefusalPayload,
  REMOVE_AGENT_FAILED: RefusalPayload,
  SESSION_FAILED: RefusalPayload,
};
