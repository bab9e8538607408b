import { z } from 'zod';
import { ContentElement } from '../session/input.ts';
import { Json, JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { method, streamed } from './api-method.ts';

export const ModelToolCall = z.object({ id: z.string(), name: z.string(), arguments: Json });
export type ModelToolCall = z.infer<typeof ModelToolCall>;

/** What a model is told and what it answers. */
export const ModelMessage = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z
    .union([z.string(), z.array(ContentElement)])
    .nullable()
    .default(null),
  reasoning_content: z.string().optional(),
  tool_calls: z.array(ModelToolCall).optional(),
  tool_call_id: z.string().optional(),
  name: z.string().optional(),
});
export type ModelMessage = z.infer<typeof ModelMessage>;

/** A tool as it is offered to a model; `parameters` is a JSON Schema. */
export const ModelTool = z.object({
  name: z.string().min(1).max(256),
  description: z.string().default(''),
  parameters: JsonObject.default({}),
});
export type ModelTool = z.infer<typeof ModelTool>;

/** Tokens by kind; a number that the model did not give is absent, never 0. */
export const ModelUsage = z.record(z.string(), z.number().nonnegative());
export type ModelUsage = z.infer<typeof ModelUsage>;

/** Pieces concatenate; a tool call comes whole. */
export const ModelChunk = z.object({
  content: z.string().optional(),
  reasoning_content: z.string().optional(),
  tool_calls: z.array(ModelToolCall).optional(),
  is_final: z.boolean().default(false),
});
export type ModelChunk = z.infer<typeof ModelChunk>;

const model_id = z.string().min(1).max(256);
const asked = {
  model_id,
  messages: z.array(ModelMessage).min(1),
  tools: z.array(ModelTool).default([]),
  extra_args: JsonObject.default({}),
};
const answered = z.object({
  message: ModelMessage,
  finish_reason: z.string().nullable().default(null),
  usage: ModelUsage.nullable().default(null),
});

/** RP-7.7 to RP-7.10. */
export const ModelsApi = {
  'models.invoke': method(asked, answered),
  'models.stream': streamed(asked, ModelChunk, answered),
  'models.rerank': method(
    {
      model_id,
      query: z.string().min(1).max(limits.rerank_chars),
      documents: z.array(z.string()).min(1).max(limits.rerank_documents),
      top_k: z.number().int().min(1).max(limits.rerank_documents).optional(),
    },
    z.object({ results: z.array(z.object({ index: z.number().int().nonnegative(), relevance_score: z.number() })) }),
  ),
  'models.count_tokens': method(asked, z.object({ tokens: z.number().int().nonnegative() })),
};
