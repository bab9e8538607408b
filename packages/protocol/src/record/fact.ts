import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';

const text = z.string().min(1).max(512);

/**
 * Facts that a session's log keeps beside its messages (CX-1.9): nothing steps on them, and no frontend sees them. Tool
 * calls and the errors of turns are messages already.
 */
export const FactPayloads = {
  /** An event as it came in, before anyone made a message of it. A large body lies in an artifact. */
  RAW_EVENT: z.object({
    event_id: text,
    event_type: text,
    source: text,
    received_at: z.number(),
    data: Json.optional(),
    raw_ref: z.object({ artifact_id: z.string(), size_bytes: z.number().int(), mime_type: z.string() }).optional(),
  }),
  /** What became of an answer that was carried to a place outside: a chat, a webhook. */
  DELIVERY_RESULT: z.object({
    delivery_id: text,
    turn_id: z.string().nullable(),
    surface: text,
    status: z.enum(['delivered', 'failed', 'skipped']),
    attempt: z.number().int().positive(),
    code: z.string().optional(),
    message: z.string().optional(),
  }),
  /** Something went wrong that belongs to no turn. */
  HOST_ERROR: z.object({ code: text, message: z.string(), where: text, details: JsonObject.optional() }),
  /** Something that the host did with the session: taken over, restored, moved. */
  SYSTEM_EVENT: z.object({ name: text, details: JsonObject.optional() }),
};
/** `FACT:RAW_EVENT`: how such a record is named. */
export type FactKind = `FACT:${keyof typeof FactPayloads}`;
