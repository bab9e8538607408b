import type { LanguageModelV3CallOptions, LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import type { ModelTool } from '@rostra/protocol/api/models';
import type { ModelConfig } from '@rostra/protocol/config/model-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { JsonObject } from '@rostra/protocol/wire/json';
import { z } from 'zod';
import { optionNames } from './provider-door.ts';
import type { ToolNames } from './tool-names.ts';

const tokens = z.number().int().positive();
const Named = z.union([
  z.object({ name: z.string() }),
  z.object({ function: z.object({ name: z.string() }) }).transform((value) => value.function),
]);
const ResponseFormat = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({
    type: z.literal('json_schema'),
    json_schema: z.object({ name: z.string().optional(), description: z.string().optional(), schema: JsonObject }),
  }),
]);

/** What every provider understands, in the names that runners use. Whatever else they say is the provider's own. */
const KnownArgs = z.object({
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  top_k: z.number().optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
  seed: z.number().int().optional(),
  max_tokens: tokens.optional(),
  max_output_tokens: tokens.optional(),
  max_completion_tokens: tokens.optional(),
  stop: z.union([z.string(), z.array(z.string())]).optional(),
  tool_choice: z.union([z.enum(['auto', 'none', 'required']), Named]).optional(),
  response_format: ResponseFormat.optional(),
});
type KnownArgs = z.infer<typeof KnownArgs>;

/** What whoever configures a model says, and no run: which model answers, who keeps what was said, and who else hears it. */
const hostArgs = ['model', 'stream', 'stream_options', 'store', 'mcpServers'] as const;

type Options = Omit<LanguageModelV3CallOptions, 'prompt'>;

/** The tools and the extra arguments of a request, as the SDK takes them. */
export function callOptions(
  config: ModelConfig,
  { tools, extra_args }: { tools: readonly ModelTool[]; extra_args: JsonObject },
  names: ToolNames,
): Options {
  const parsed = KnownArgs.safeParse(extra_args);
  if (!parsed.success) throw wrongArgument(parsed.error.issues[0]);
  const taken = hostArgs.find((name) => Object.hasOwn(extra_args, name));
  if (taken !== undefined) throw wrongArgument({ path: [taken], message: 'only the host says this' });
  const known = parsed.data;
  const own = Object.entries(extra_args).filter(([key]) => !Object.hasOwn(KnownArgs.shape, key));
  const offered = config.tools ? tools.map((tool) => offeredTool(tool, names)) : [];
  const most = known.max_output_tokens ?? known.max_completion_tokens ?? known.max_tokens ?? config.max_output_tokens;
  return {
    ...numbers(known),
    ...(most !== undefined && { maxOutputTokens: most }),
    ...(known.stop !== undefined && { stopSequences: [known.stop].flat() }),
    ...(offered.length > 0 && { tools: offered, ...choice(known, names) }),
    ...format(known),
    providerOptions: {
      [optionNames[config.provider]]: { ...usual(config), ...config.options, ...Object.fromEntries(own) },
    },
  };
}

/** What a host tells a provider unless it is configured otherwise: nothing of a conversation is kept there. */
function usual({ provider }: ModelConfig): JsonObject {
  return provider === 'openai' ? { store: false } : {};
}

function numbers(known: KnownArgs): Options {
  const { temperature, top_p, top_k, presence_penalty, frequency_penalty, seed } = known;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { topP: top_p }),
    ...(top_k !== undefined && { topK: top_k }),
    ...(presence_penalty !== undefined && { presencePenalty: presence_penalty }),
    ...(frequency_penalty !== undefined && { frequencyPenalty: frequency_penalty }),
    ...(seed !== undefined && { seed }),
  };
}

function choice({ tool_choice }: KnownArgs, names: ToolNames): Options {
  if (tool_choice === undefined) return {};
  if (typeof tool_choice === 'string') return { toolChoice: { type: tool_choice } };
  return { toolChoice: { type: 'tool', toolName: names.fit(tool_choice.name) } };
}

function format({ response_format }: KnownArgs): Options {
  if (response_format === undefined || response_format.type === 'text') return {};
  if (response_format.type === 'json_object') return { responseFormat: { type: 'json' } };
  const { schema, name, description } = response_format.json_schema;
  const about = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
  return { responseFormat: { type: 'json', schema, ...about } };
}

/** Providers want an object's schema, also of a tool that takes nothing. */
function offeredTool({ name, description, parameters }: ModelTool, names: ToolNames): LanguageModelV3FunctionTool {
  const inputSchema = { type: 'object' as const, properties: {}, ...parameters };
  return { type: 'function', name: names.fit(name), ...(description !== '' && { description }), inputSchema };
}

function wrongArgument(issue: { path: readonly PropertyKey[]; message: string } | undefined): ApiError {
  const path = ['extra_args', ...(issue?.path ?? [])].map(String).join('.');
  return new ApiError('invalid_argument', `${path} is wrong: ${issue?.message ?? 'not what was expected'}.`, {
    details: { path },
  });
}
