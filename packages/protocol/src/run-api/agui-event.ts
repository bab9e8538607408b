import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';

/** What an AG-UI run waits for when it ends: a `resume` with this id answers it. */
export const AguiInterrupt = z.object({
  id: z.string(),
  /** `tool_call`, `input_required`, `confirmation`, or a word of ours: `rostra:budget`, `rostra:handover`. */
  reason: z.string(),
  message: z.string().optional(),
  responseSchema: JsonObject.optional(),
  /** ISO-8601. */
  expiresAt: z.string().optional(),
  metadata: JsonObject.optional(),
});
export type AguiInterrupt = z.infer<typeof AguiInterrupt>;

/** A run without one has succeeded. Clients before 1.0 take no other words in it than these. */
export const AguiOutcome = z.object({
  type: z.literal('interrupt'),
  interrupts: z.array(AguiInterrupt).min(1),
});
export type AguiOutcome = z.infer<typeof AguiOutcome>;

/** The code of the RUN_ERROR that answers an input while questions stand open. */
export const INTERRUPT_OPEN = 'interrupt_open';

const SnapshotMedium = {
  source: z.object({ type: z.literal('url'), value: z.string(), mimeType: z.string().optional() }),
  metadata: JsonObject.optional(),
};

export const AguiSnapshotPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), ...SnapshotMedium }),
  z.object({ type: z.literal('audio'), ...SnapshotMedium }),
  z.object({ type: z.literal('document'), ...SnapshotMedium }),
]);
export type AguiSnapshotPart = z.infer<typeof AguiSnapshotPart>;

/** A message of a thread that is given back as a whole. */
export const AguiSnapshotMessage = z.discriminatedUnion('role', [
  z.object({ id: z.string(), role: z.literal('user'), content: z.union([z.string(), z.array(AguiSnapshotPart)]) }),
  z.object({ id: z.string(), role: z.literal('assistant'), content: z.string(), name: z.string().optional() }),
]);
export type AguiSnapshotMessage = z.infer<typeof AguiSnapshotMessage>;

/** The AG-UI events that the host writes. Nulls are never written: old clients die of them. */
const base = { timestamp: z.number().int().optional(), metadata: JsonObject.optional() };

export const AguiEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('RUN_STARTED'),
    threadId: z.string(),
    runId: z.string(),
    parentRunId: z.string().optional(),
    ...base,
  }),
  z.object({
    type: z.literal('RUN_FINISHED'),
    threadId: z.string(),
    runId: z.string(),
    result: Json.optional(),
    outcome: AguiOutcome.optional(),
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
  z.object({ type: z.literal('MESSAGES_SNAPSHOT'), messages: z.array(AguiSnapshotMessage), ...base }),
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
