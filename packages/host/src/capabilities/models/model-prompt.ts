import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { ModelMessage, ModelToolCall } from '@rostra/protocol/api/models';
import type { ModelConfig } from '@rostra/protocol/config/model-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type JsonObject } from '@rostra/protocol/wire/json';
import type { ModelCall } from './model.ts';
import { PromptFiles } from './prompt-files.ts';
import type { Thoughts } from './thought-memory.ts';
import type { ToolNames } from './tool-names.ts';

type Part<R extends LanguageModelV3Message['role']> = Extract<LanguageModelV3Message, { role: R }>['content'][number];

/** What a conversation names without holding it. */
interface PromptSources {
  readonly names: ToolNames;
  readonly bytes: ModelCall['bytes'];
  /** What was thought before a call of a tool. */
  readonly thoughts: (call_id: string) => Thoughts;
}

/**
 * A conversation as the SDK takes it. What the system says stands first, because several providers take it nowhere else;
 * results of tools that follow each other are one message; what says nothing is left out.
 */
export async function promptOf(
  messages: readonly ModelMessage[],
  config: ModelConfig,
  { names, bytes, thoughts }: PromptSources,
): Promise<LanguageModelV3Prompt> {
  const files = new PromptFiles(config, bytes);
  const system = messages.filter(({ role }) => role === 'system').map((message) => textOf(message));
  const prompt: LanguageModelV3Prompt = [];
  const instructed = system.filter((text) => text !== '').join('\n\n');
  if (instructed !== '') prompt.push({ role: 'system', content: instructed });
  const called = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'user') push(prompt, { role: 'user', content: await files.parts(message.content) });
    else if (message.role === 'assistant') {
      for (const { id, name } of message.tool_calls ?? []) called.set(id, name);
      const before = thoughts(message.tool_calls?.[0]?.id ?? '');
      push(prompt, { role: 'assistant', content: [...before, ...assistantParts(message, config, names)] });
    } else if (message.role === 'tool') {
      const { tool_call_id = '', name = called.get(tool_call_id) ?? 'tool' } = message;
      const output = { type: 'text' as const, value: textOf(message) };
      push(prompt, {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: tool_call_id, toolName: names.fit(name), output }],
      });
    }
  }
  if (prompt.every(({ role }) => role === 'system')) throw nothingSaid();
  return prompt;
}

function push(prompt: LanguageModelV3Prompt, message: Exclude<LanguageModelV3Message, { role: 'system' }>): void {
  if (message.content.length === 0) return;
  const last = prompt.at(-1);
  if (message.role === 'tool' && last?.role === 'tool') last.content.push(...message.content);
  else prompt.push(message);
}

function assistantParts(message: ModelMessage, config: ModelConfig, names: ToolNames): Part<'assistant'>[] {
  const text = textOf(message);
  const calls = message.tool_calls ?? [];
  const parts: Part<'assistant'>[] = [];
  // Some servers want to see what was thought before a call, until the call is answered; the others must not.
  const thought = config.provider === 'openai-compatible' && calls.length > 0 ? (message.reasoning_content ?? '') : '';
  if (thought !== '') parts.push({ type: 'reasoning', text: thought });
  if (text !== '') parts.push({ type: 'text', text });
  for (const call of calls) {
    parts.push({ type: 'tool-call', toolCallId: call.id, toolName: names.fit(call.name), input: inputOf(call) });
  }
  return parts;
}

/** Providers take an object only; what the model wrote instead is told in one. */
function inputOf({ arguments: given }: ModelToolCall): JsonObject {
  return isJsonObject(given) ? given : { invalid_arguments: given };
}

function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? [])
    .map((element) => (element.type === 'text' ? element.text : PromptFiles.named(element)))
    .join('\n');
}

function nothingSaid(): ApiError {
  return new ApiError('invalid_argument', 'The messages say nothing that a model could answer.', {
    details: { path: 'messages' },
  });
}
