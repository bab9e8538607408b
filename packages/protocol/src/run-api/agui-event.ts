import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';

/** The AG-UI events that the host writes. Nulls are never written: old clients die of them. */
const base = { timestamp: z.number().int().optional(), metadata: JsonObject.optional() };

export const AguiEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('RUN_STARTED'), threadId: z.string(), runId: z.string(), ...base }),
  z.object({
    type: z.literal('RUN_FINISHED'),
    threadId: z.string(),
    runId: z.string(),
    result: Json.optional(),
    ...base,
  }),
  z.object({ type: z.literal('RUN_ERROR'), message: z.string(), code: z.string().optional(), ...base }),
  z.object({
    type: z.literal('TEXT_MESSAGE_START'),
    messageId: z.string(),
    role: z.literal('assistant'),
    name: z.string().optional(),
    ...base,
  }),
  z.object({ type: z.literal('TEXT_MESSAGE_CONTENT'), messageId: z.string(), delta: z.string(), ...base }),
  z.object({ type: z.literal('TEXT_MESSAGE_END'), messageId: z.string(), ...base }),
  z.object({ type: z.literal('REASONING_START'), messageId: z.string(), ...base }),
  z.object({
    type: z.literal('REASONING_MESSAGE_START'),
    messageId: z.string(),
    role: z.literal('reasoning'),
    ...base,
  }),
  z.object({ type: z.literal('REASONING_MESSAGE_CONTENT'), messageId: z.string(), delta: z.string(), ...base }),
  z.object({ type: z.literal('REASONING_MESSAGE_END'), messageId: z.string(), ...base }),
  z.object({ type: z.literal('REASONING_END'), messageId: z.string(), ...base }),
  z.object({
    type: z.literal('TOOL_CALL_START'),
    toolCallId: z.string(),
    toolCallName: z.string(),
    parentMessageId: z.string().optional(),
    ...base,
  }),
  z.object({ type: z.literal('TOOL_CALL_ARGS'), toolCallId: z.string(), delta: z.string(), ...base }),
  z.object({ type: z.literal('TOOL_CALL_END'), toolCallId: z.string(), ...base }),
  z.object({
    type: z.literal('TOOL_CALL_RESULT'),
    messageId: z.string(),
    toolCallId: z.string(),
    content: z.string(),
    role: z.literal('tool'),
    ...base,
  }),
  z.object({ type: z.literal('STATE_DELTA'), delta: z.array(Json), ...base }),
  z.object({
    type: z.literal('ACTIVITY_SNAPSHOT'),
    messageId: z.string(),
    activityType: z.string(),
    content: JsonObject,
    ...base,
  }),
  z.object({ type: z.literal('CUSTOM'), name: z.string(), value: Json, ...base }),
]);
export type AguiEvent = z.infer<typeof AguiEvent>;
