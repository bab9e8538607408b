import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';
import { Context, ToolCall } from './run-agent-input.ts';

/** AG-UI's own RunAgentInput, as clients of 1.0 and of the 0.0 line before it send it: a whole thread each time. */
const text = z.string().nullish();
const base = { id: z.string(), name: text, encryptedValue: text };

/** Where the bytes of a part are. */
const Source = z.discriminatedUnion('type', [
  z.object({ type: z.literal('url'), value: z.string(), mimeType: text }),
  z.object({ type: z.literal('data'), value: z.string(), mimeType: text }),
  z.object({ type: z.literal('file'), value: z.string(), mimeType: text }),
]);
const medium = { source: Source, metadata: Json.optional() };

export const AguiPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), ...medium }),
  z.object({ type: z.literal('audio'), ...medium }),
  z.object({ type: z.literal('video'), ...medium }),
  z.object({ type: z.literal('document'), ...medium }),
  /** Only before 1.0. */
  z.object({ type: z.literal('binary'), mimeType: z.string(), url: text, data: text, id: text, filename: text }),
]);
export type AguiPart = z.infer<typeof AguiPart>;

const Parts = z.union([z.string(), z.array(AguiPart)]);

export const AguiMessage = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), ...base, content: Parts }),
  z.object({ role: z.literal('assistant'), ...base, content: Json.optional(), toolCalls: z.array(ToolCall).nullish() }),
  z.object({ role: z.literal('tool'), ...base, content: Parts, toolCallId: z.string(), error: text }),
  z.object({ role: z.literal('system'), ...base, content: z.string() }),
  z.object({ role: z.literal('developer'), ...base, content: z.string() }),
  z.object({ role: z.literal('reasoning'), ...base, content: Json.optional() }),
  z.object({ role: z.literal('activity'), ...base, content: Json.optional() }),
]);
export type AguiMessage = z.infer<typeof AguiMessage>;

/** An answer to an interrupt. */
export const AguiResume = z.object({
  interruptId: z.string(),
  status: z.enum(['resolved', 'cancelled']),
  payload: Json.optional(),
});
export type AguiResume = z.infer<typeof AguiResume>;

const AguiTool = z.object({ name: z.string(), description: z.string().default(''), parameters: JsonObject.nullish() });

export const AguiInput = z.object({
  threadId: z.string(),
  runId: z.string(),
  protocolVersion: text,
  parentRunId: text,
  state: Json.optional(),
  messages: z.array(AguiMessage),
  tools: z.array(AguiTool).nullish(),
  context: z.array(Context).nullish(),
  forwardedProps: Json.optional(),
  resume: z.array(AguiResume).nullish(),
});
export type AguiInput = z.infer<typeof AguiInput>;
