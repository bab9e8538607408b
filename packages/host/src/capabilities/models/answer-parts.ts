import type {
  LanguageModelV3Content,
  LanguageModelV3FinishReason,
  LanguageModelV3ReasoningPart,
  LanguageModelV3StreamPart,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider';
import type { ModelChunk, ModelToolCall, ModelUsage } from '@rostra/protocol/api/models';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import type { ModelAnswer } from './model.ts';
import { usageOf } from './model-usage.ts';
import type { ToolNames } from './tool-names.ts';

type Part = LanguageModelV3Content | LanguageModelV3StreamPart;

/** An answer as it comes, in pieces or at once. */
export class AnswerParts {
  readonly #names: ToolNames;
  #content = '';
  #reasoning = '';
  readonly #calls: ModelToolCall[] = [];
  readonly #thoughts = new Map<string, LanguageModelV3ReasoningPart>();
  #finish: LanguageModelV3FinishReason | null = null;
  #usage: ModelUsage | null = null;

  constructor(names: ToolNames) {
    this.#names = names;
  }

  /** Takes a part; what of it is a piece for the caller, null when nothing is. */
  take(part: Part): Omit<ModelChunk, 'is_final'> | null {
    switch (part.type) {
      case 'text':
      case 'text-delta':
        return this.#said(part.type === 'text' ? part.text : part.delta);
      case 'reasoning':
        this.#remember(String(this.#thoughts.size), part.text, part.providerMetadata);
        return this.#thought(part.text);
      case 'reasoning-start':
      case 'reasoning-end':
        this.#remember(part.id, '', part.providerMetadata);
        return null;
      case 'reasoning-delta':
        this.#remember(part.id, part.delta, part.providerMetadata);
        return this.#thought(part.delta);
      case 'tool-call':
        return part.providerExecuted === true ? null : this.#called(part);
      case 'finish':
        this.finish(part);
        return null;
      default:
        return null;
    }
  }

  finish({ finishReason, usage }: Pick<Extract<Part, { type: 'finish' }>, 'finishReason' | 'usage'>): void {
    this.#finish = finishReason;
    this.#usage = usageOf(usage);
  }

  get isEmpty(): boolean {
    return this.#content === '' && this.#reasoning === '' && this.#calls.length === 0;
  }

  /** It ended, and not because the connection did. */
  get isFinished(): boolean {
    return this.#finish !== null;
  }

  /** What was thought, with what the provider wants to see with it. */
  get thoughts(): LanguageModelV3ReasoningPart[] {
    return [...this.#thoughts.values()];
  }

  get answer(): ModelAnswer {
    return {
      message: {
        role: 'assistant',
        content: this.#content,
        ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
        ...(this.#calls.length > 0 && { tool_calls: this.#calls }),
      },
      finish_reason: this.#finish === null ? null : reasonOf(this.#finish),
      usage: this.#usage,
    };
  }

  #said(content: string): Omit<ModelChunk, 'is_final'> | null {
    this.#content += content;
    return content === '' ? null : { content };
  }

  #thought(reasoning_content: string): Omit<ModelChunk, 'is_final'> | null {
    this.#reasoning += reasoning_content;
    return reasoning_content === '' ? null : { reasoning_content };
  }

  #remember(id: string, text: string, metadata: SharedV3ProviderMetadata | undefined): void {
    const known = this.#thoughts.get(id);
    const providerOptions = { ...known?.providerOptions, ...metadata };
    this.#thoughts.set(id, { type: 'reasoning', text: `${known?.text ?? ''}${text}`, providerOptions });
  }

  #called({ toolCallId, toolName, input }: Extract<Part, { type: 'tool-call' }>): Omit<ModelChunk, 'is_final'> {
    const call = { id: this.#idOf(toolCallId), name: this.#names.original(toolName), arguments: argumentsOf(input) };
    this.#calls.push(call);
    return { tool_calls: [call] };
  }

  /** Some servers give no ids, or the same one twice; results are matched by them. */
  #idOf(given: string): string {
    const isNew = given !== '' && !this.#calls.some(({ id }) => id === given);
    return isNew ? given : `${given || 'call'}_${crypto.randomUUID()}`;
  }
}

/** Arguments are an object; what the model wrote that is none is told as it stands, for its caller to answer. */
function argumentsOf(input: string): Json {
  if (input.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(input);
    return isJsonObject(value) ? value : input;
  } catch (error) {
    if (error instanceof SyntaxError) return input;
    throw error;
  }
}

/** In the words that most runners know. */
function reasonOf({ unified, raw }: LanguageModelV3FinishReason): string | null {
  if (unified === 'tool-calls') return 'tool_calls';
  if (unified === 'content-filter') return 'content_filter';
  return unified === 'other' ? (raw ?? null) : unified;
}
