import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { ModelChunk, ModelUsage } from '@rostra/protocol/api/models';
import type { ModelConfig, ModelKind } from '@rostra/protocol/config/model-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { AnswerParts } from './answer-parts.ts';
import { countedByProvider } from './anthropic-count.ts';
import { callOptions } from './call-options.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest, RankedDocument } from './model.ts';
import type { ModelClock } from './model-clock.ts';
import { type Environment, keyOf } from './model-key.ts';
import { promptOf } from './model-prompt.ts';
import type { SourcedModel } from './model-source.ts';
import { embeddingUsage } from './model-usage.ts';
import { addressOf, type DoorOptions, embeddingModel, type Fetch, heardFetch, languageModel } from './provider-door.ts';
import { type CalledModel, endlessFailure, silenceFailure, UnfinishedAnswer } from './provider-failure.ts';
import { ranked } from './rerank.ts';
import { withRetries } from './retries.ts';
import { Silence } from './silence.ts';
import type { ThoughtMemory } from './thought-memory.ts';
import type { TokenCounter } from './token-counter.ts';
import { estimatedTokens } from './token-estimate.ts';
import { ToolNames } from './tool-names.ts';

export interface AiModelOptions {
  readonly environment: Environment;
  readonly clock: ModelClock;
  readonly fetch: Fetch;
  readonly luck: () => number;
  readonly counter: TokenCounter;
  readonly memory: ThoughtMemory;
}

/** One try of a call: the provider is reached through `door`, and `silence` ends it. */
interface Attempt {
  readonly door: DoorOptions;
  readonly silence: Silence;
}

/** A configured model, reached through the AI SDK. The SDK, and the key, are there only while a call is made. */
export class AiModel implements Model {
  readonly model_id: string;
  readonly #sourced: SourcedModel;
  readonly #options: AiModelOptions;

  constructor(model_id: string, sourced: SourcedModel, options: AiModelOptions) {
    this.model_id = model_id;
    this.#sourced = sourced;
    this.#options = options;
  }

  get config(): ModelConfig {
    return this.#sourced.config;
  }

  async invoke(request: ModelRequest, call: ModelCall): Promise<ModelAnswer> {
    this.#mustBe('chat', 'write');
    const names = new ToolNames();
    const asked = await this.#asked(request, call, names);
    return await this.#call(call.signal, async ({ door, silence }) => {
      const model = await languageModel(door);
      const given = await model.doGenerate({ ...asked, abortSignal: silence.signal });
      const parts = new AnswerParts(names);
      for (const part of given.content) parts.take(part);
      parts.finish(given);
      return this.#answer(parts, call);
    });
  }

  async stream(
    request: ModelRequest,
    call: ModelCall,
    push: (chunk: ModelChunk) => Promise<void>,
  ): Promise<ModelAnswer> {
    this.#mustBe('chat', 'write');
    const names = new ToolNames();
    const asked = await this.#asked(request, call, names);
    let begun = false;
    const passOn = async (silence: Silence, chunk: ModelChunk) => {
      begun = true;
      silence.pause();
      await push(chunk);
      silence.resume();
    };
    const attempt = async ({ door, silence }: Attempt) => {
      const model = await languageModel(door);
      const parts = new AnswerParts(names);
      for await (const part of partsOf(model, { ...asked, abortSignal: silence.signal })) {
        if (part.type === 'error') throw part.error;
        const piece = parts.take(part);
        if (piece !== null) await passOn(silence, { ...piece, is_final: false });
      }
      const answer = this.#answer(parts, call);
      await passOn(silence, { is_final: true });
      return answer;
    };
    return await this.#call(call.signal, attempt, () => begun);
  }

  async countTokens(request: ModelRequest, call: ModelCall): Promise<number> {
    this.#mustBe('chat', 'write');
    const { config } = this;
    if (config.provider === 'anthropic') {
      const names = new ToolNames();
      const asked = await this.#asked(request, call, names);
      const counted = await this.#counted(asked, call.signal);
      if (counted !== null) return counted;
    }
    return await estimatedTokens(request, this.#options.counter);
  }

  async embed(
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<{ vectors: Float32Array[]; usage: ModelUsage | null }> {
    this.#mustBe('embedding', 'give vectors');
    const vectors: Float32Array[] = [];
    const tokens: (number | undefined)[] = [];
    for (let at = 0; at < texts.length; at += limits.embed_batch) {
      const values = texts.slice(at, at + limits.embed_batch);
      const { embeddings, usage } = await this.#call(signal, async ({ door, silence }) => {
        const model = await embeddingModel(door);
        if (model === null) throw this.#cannot('give vectors');
        return await model.doEmbed({ values, abortSignal: silence.signal });
      });
      if (embeddings.length !== values.length) throw this.#senseless();
      vectors.push(...embeddings.map((embedding) => Float32Array.from(embedding)));
      tokens.push(usage?.tokens);
    }
    return { vectors, usage: embeddingUsage(tokens) };
  }

  async rerank(
    query: string,
    documents: readonly string[],
    top_k: number,
    signal: AbortSignal,
  ): Promise<RankedDocument[]> {
    this.#mustBe('rerank', 'rank');
    if (this.config.provider !== 'openai-compatible') throw this.#cannot('rank');
    return await this.#call(signal, ({ door, silence }) => ranked({ query, documents, top_k }, door, silence.signal));
  }

  async #asked(request: ModelRequest, call: ModelCall, names: ToolNames): Promise<LanguageModelV3CallOptions> {
    const { bytes, run_id } = call;
    const { memory } = this.#options;
    const thoughts = (call_id: string) => (run_id === undefined ? [] : memory.before(run_id, call_id));
    const options = callOptions(this.config, request, names);
    return { ...options, prompt: await promptOf(request.messages, this.config, { names, bytes, thoughts }) };
  }

  /** Only Anthropic refuses results of tools without what was thought before the calls. */
  #answer(parts: AnswerParts, { run_id }: ModelCall): ModelAnswer {
    const { answer, thoughts } = parts;
    if (!parts.isFinished || (parts.isEmpty && answer.finish_reason === 'error')) {
      throw new UnfinishedAnswer('The answer ended before it was complete.');
    }
    const [first] = answer.message.tool_calls ?? [];
    const isKept = this.config.provider === 'anthropic' && thoughts.length > 0;
    if (isKept && run_id !== undefined && first !== undefined) this.#options.memory.keep(run_id, first.id, thoughts);
    return answer;
  }

  /** The provider's own count; null when it cannot be had now. */
  async #counted(asked: LanguageModelV3CallOptions, signal: AbortSignal): Promise<number | null> {
    try {
      return await this.#once(signal, limits.model_count, ({ door, silence }) =>
        countedByProvider(asked, door, silence.signal),
      );
    } catch {
      // A count is an aid: whatever hinders it, an estimate serves, and the call itself will tell what is wrong.
      signal.throwIfAborted();
      return null;
    }
  }

  /** Every way to a provider that answers: what fails and passes is tried again. */
  async #call<T>(signal: AbortSignal, work: (attempt: Attempt) => Promise<T>, begun = () => false): Promise<T> {
    signal.throwIfAborted();
    const { clock, luck } = this.#options;
    const { called } = this.#door();
    const once = () => this.#once(signal, this.config.timeout, work);
    return await withRetries(once, begun, { called, clock, signal, luck });
  }

  /** One try: the key is read, and silence is watched. */
  async #once<T>(signal: AbortSignal, patience: number, work: (attempt: Attempt) => Promise<T>): Promise<T> {
    const { called, door } = this.#door();
    const silence = new Silence(this.#options.clock, patience, signal, () => silenceFailure(called));
    try {
      return await work({
        door: { ...door, fetch: heardFetch(door.fetch, silence, () => endlessFailure(called)) },
        silence,
      });
    } catch (error) {
      // Whatever an aborted request fails with, why it was aborted says more.
      silence.signal.throwIfAborted();
      throw error;
    } finally {
      silence.release();
    }
  }

  #door(): { called: CalledModel; door: DoorOptions } {
    const { config, model_id } = this;
    const { environment, fetch } = this.#options;
    const key = keyOf(model_id, this.#sourced, environment);
    const { origin } = new URL(addressOf(config));
    return { called: { model_id, config, key, origin }, door: { config, key, fetch } };
  }

  #mustBe(kind: ModelKind, deed: string): void {
    if (this.config.kind !== kind) throw this.#cannot(deed);
  }

  #cannot(deed: string): ApiError {
    return new ApiError('invalid_argument', `${this.model_id} is no model that can ${deed}.`);
  }

  #senseless(): ApiError {
    return new ApiError('runtime_error', `${this.model_id} gave another number of vectors than it was asked for.`);
  }
}

async function* partsOf(model: LanguageModelV3, options: LanguageModelV3CallOptions) {
  const { stream } = await model.doStream(options);
  yield* stream;
}
