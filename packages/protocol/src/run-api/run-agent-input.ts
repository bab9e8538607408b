import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';

const nullableText = z.string().nullable().optional();

export const TextContentBlock = z.object({ type: z.literal('text'), text: z.string() });
export type TextContentBlock = z.infer<typeof TextContentBlock>;

/** An image by reference (RA-2.3 to RA-2.5); `data` is in the contract only to be refused. */
export const BinaryContentBlock = z.object({
  type: z.literal('binary'),
  mimeType: z.string(),
  id: z.string().optional(),
  url: z.string().optional(),
  data: z.string().optional(),
  filename: z.string().optional(),
});
export type BinaryContentBlock = z.infer<typeof BinaryContentBlock>;

export const ContentBlock = z.discriminatedUnion('type', [TextContentBlock, BinaryContentBlock]);
export type ContentBlock = z.infer<typeof ContentBlock>;

export const UserMessage = z.object({
  id: z.string(),
  role: z.literal('user'),
  content: z.union([z.string(), z.array(ContentBlock)]),
  name: z.string().optional(),
  encryptedValue: z.string().optional(),
});
export type UserMessage = z.infer<typeof UserMessage>;

export const ToolCall = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
  encryptedValue: nullableText,
});
export type ToolCall = z.infer<typeof ToolCall>;

export const AssistantMessage = z.object({
  id: z.string(),
  role: z.literal('assistant'),
  content: nullableText,
  name: nullableText,
  toolCalls: z.array(ToolCall).optional(),
  encryptedValue: nullableText,
});
export type AssistantMessage = z.infer<typeof AssistantMessage>;

const instruction = { id: z.string(), content: z.string(), name: nullableText, encryptedValue: nullableText };

export const SystemMessage = z.object({ role: z.literal('system'), ...instruction });
export type SystemMessage = z.infer<typeof SystemMessage>;

export const DeveloperMessage = z.object({ role: z.literal('developer'), ...instruction });
export type DeveloperMessage = z.infer<typeof DeveloperMessage>;

export const ToolMessage = z.object({
  id: z.string(),
  role: z.literal('tool'),
  content: z.string(),
  toolCallId: z.string(),
  error: nullableText,
  encryptedValue: nullableText,
});
export type ToolMessage = z.infer<typeof ToolMessage>;

export const ReasoningMessage = z.object({
  id: z.string(),
  role: z.literal('reasoning'),
  content: z.string(),
  encryptedValue: nullableText,
});
export type ReasoningMessage = z.infer<typeof ReasoningMessage>;

export const ActivityMessage = z.object({
  id: z.string(),
  role: z.literal('activity'),
  activityType: z.string(),
  content: JsonObject,
});
export type ActivityMessage = z.infer<typeof ActivityMessage>;

export const RunMessage = z.discriminatedUnion('role', [
  UserMessage,
  AssistantMessage,
  SystemMessage,
  DeveloperMessage,
  ToolMessage,
  ReasoningMessage,
  ActivityMessage,
]);
export type RunMessage = z.infer<typeof RunMessage>;

export const Tool = z.object({ name: z.string(), description: z.string(), parameters: JsonObject });
export type Tool = z.infer<typeof Tool>;

export const Context = z.object({ description: z.string(), value: z.string() });
export type Context = z.infer<typeof Context>;

/** The body of `POST /api/v1/agent/runs` (RA-1.2). Its rules stand in `run-rules.ts`. */
export const RunAgentInput = z.object({
  threadId: z.string(),
  runId: z.string(),
  parentRunId: z.string().optional(),
  state: Json.optional(),
  messages: z.array(RunMessage),
  tools: z.array(Tool).optional(),
  context: z.array(Context).optional(),
  forwardedProps: Json.optional(),
});
export type RunAgentInput = z.infer<typeof RunAgentInput>;
