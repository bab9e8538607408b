import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';

/** What became of an action that was requested of the platform. */
export const ActionOutcome = z.object({
  status: z.enum(['executed', 'denied', 'unsupported', 'failed']),
  /** The question that was put to a person, if one was. */
  interaction_id: z.string().nullable(),
  result: Json,
});
export type ActionOutcome = z.infer<typeof ActionOutcome>;

/** AGENT_OUTPUT payloads, by subtype. `message.started` and `message.ended` are the session's own brackets. */
export const OutputPayloads = {
  /** `more` are the pieces that came in the same line after the first, which stands in `text` or in `reasoning`. */
  chunk: z.object({
    message_id: z.string(),
    n: z.number().int().nonnegative(),
    text: z.string().optional(),
    reasoning: z.string().optional(),
    more: z.array(z.string()).optional(),
  }),
  message: z.object({
    message_id: z.string(),
    role: z.string(),
    content: Json,
    reasoning: z.string().optional(),
    /** The card that the host compiled of the result's `ui_hints`. */
    ui_schema: JsonObject.optional(),
  }),
  final: z.object({ usage: Json.optional(), finish_reason: z.string().optional() }),
  'message.started': z.object({ message_id: z.string(), agent_id: z.string(), channel: z.enum(['text', 'reasoning']) }),
  'message.ended': z.object({ message_id: z.string(), agent_id: z.string() }),
  'tool.call.started': z.object({
    tool_call_id: z.string(),
    tool_name: z.string(),
    parameters: Json.optional(),
    message_id: z.string().optional(),
  }),
  'tool.call.completed': z.object({
    tool_call_id: z.string(),
    tool_name: z.string(),
    result: Json.optional(),
    error: z.string().optional(),
    /** The card that the host compiled of the result's `ui_hints`. */
    ui_schema: JsonObject.optional(),
  }),
  'artifact.created': JsonObject,
  'state.updated': z.object({ scope: z.string(), key: z.string(), value: Json }),
  /** `outcome`: what the host did about it, once that is known. */
  'action.requested': z.object({
    action: z.string(),
    target: Json.optional(),
    payload: Json.optional(),
    outcome: ActionOutcome.optional(),
  }),
  /** An agent changed, or took back, what it had said in this session. */
  'message.edited': z.object({ message_id: z.string(), content: z.string() }),
  'message.deleted': z.object({ message_id: z.string() }),
};
