import { z } from 'zod';
import { JsonObject } from '../wire/json.ts';

const text = z.string().min(1).max(4096);
const tokens = z.number().int().positive().max(100_000_000);

/** Whose interface a model speaks. Any server that speaks OpenAI's chat completions is `openai-compatible`. */
export const ModelProvider = z.enum(['openai', 'anthropic', 'google', 'openai-compatible']);
export type ModelProvider = z.infer<typeof ModelProvider>;

/** What a model is good for: it writes, it gives vectors, or it ranks. */
export const ModelKind = z.enum(['chat', 'embedding', 'rerank']);
export type ModelKind = z.infer<typeof ModelKind>;

/** `anthropic/some-model`, `local`: what agents, grants and the run API call a model. */
export const ModelId = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[\w.:@/-]+$/, 'has letters, digits and . : @ / _ - only');
export type ModelId = z.infer<typeof ModelId>;

/** A model as a person describes it, in the file or at run time. */
export const ModelConfig = z.strictObject({
  provider: ModelProvider.describe('Whose interface it speaks.'),
  model: text.describe('Its name there.'),
  kind: ModelKind.default('chat').describe('Whether it writes, gives vectors or ranks.'),
  base_url: z.url().optional().describe('Where it is reached; the provider’s own address unless told.'),
  api_key: text
    .optional()
    .describe('The key for it. Without one the variable of the provider is used, where that is set.')
    .meta({ secret: true }),
  headers: z
    .record(z.string().max(128), text.meta({ secret: true }))
    .default({})
    .describe('Further headers of every request.'),
  label: z.string().max(200).optional().describe('Its name for people.'),
  context_window: tokens.optional().describe('Tokens that it can read and write in one call.'),
  max_output_tokens: tokens.optional().describe('Tokens that it writes at most in one call.'),
  tools: z.boolean().default(true).describe('Whether it calls tools by itself; otherwise they are told in words.'),
  images: z.boolean().default(true).describe('Whether it can see images.'),
  options: JsonObject.default({}).describe('What the provider is told beside: passed on as it stands.'),
  timeout: z
    .number()
    .int()
    .min(1000)
    .max(600_000)
    .default(120_000)
    .describe('Milliseconds without a word from it before a call counts as failed.'),
  retries: z
    .number()
    .int()
    .min(0)
    .max(5)
    .default(2)
    .describe('How often a call is repeated that failed before its first word and may be repeated.'),
});
export type ModelConfig = z.infer<typeof ModelConfig>;
