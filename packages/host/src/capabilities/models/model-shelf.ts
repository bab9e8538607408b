import type { ModelConfig, ModelKind } from '@rostra/protocol/config/model-config';
import type { ModelOperation, ModelResource } from '@rostra/protocol/runner/resources';
import { AiModel } from './ai-model.ts';
import type { Model } from './model.ts';
import { type ModelClock, wallClock } from './model-clock.ts';
import type { Environment } from './model-key.ts';
import type { ModelSources, SourcedModel } from './model-source.ts';
import type { Fetch } from './provider-door.ts';
import { ThoughtMemory } from './thought-memory.ts';
import type { TokenCounter } from './token-counter.ts';

export interface ModelShelfOptions {
  readonly sources: ModelSources;
  /** Where keys are looked up that stand with no model. */
  readonly environment: Environment;
  readonly clock?: ModelClock;
  readonly fetch?: Fetch;
  readonly luck?: () => number;
  /** Counts tokens where a provider does not. */
  readonly counter: TokenCounter;
}

/** What a run may do with a model of a kind. Vectors are for the host's own use. */
const operations: Readonly<Record<ModelKind, readonly ModelOperation[]>> = {
  chat: ['invoke', 'stream', 'count_tokens'],
  rerank: ['rerank'],
  embedding: [],
};

/** All models of the host, as they are described at the moment. */
export class ModelShelf {
  readonly #options: ModelShelfOptions;
  readonly #memory = new ThoughtMemory();

  constructor(options: ModelShelfOptions) {
    this.#options = options;
  }

  /** What runs can be granted. */
  offers(): ModelResource[] {
    return this.list().flatMap(({ model_id, config }) => {
      const { kind, provider } = config;
      const offered = [...operations[kind]];
      if (offered.length === 0) return [];
      return [{ model_id, model_type: kind, provider, operations: offered, metadata: metadataOf(config) }];
    });
  }

  find(model_id: string): Model | null {
    const sources = this.#options.sources();
    const sourced = Object.hasOwn(sources, model_id) ? sources[model_id] : undefined;
    if (sourced === undefined) return null;
    const { environment, counter, clock = wallClock, fetch = globalThis.fetch, luck = Math.random } = this.#options;
    return new AiModel(model_id, sourced, { environment, clock, fetch, luck, counter, memory: this.#memory });
  }

  list(): ({ model_id: string } & SourcedModel)[] {
    return Object.entries(this.#options.sources()).map(([model_id, sourced]) => ({ model_id, ...sourced }));
  }
}

function metadataOf({ label, model, context_window, max_output_tokens, tools, images }: ModelConfig) {
  return {
    ...(label !== undefined && { label }),
    model,
    ...(context_window !== undefined && { context_window }),
    ...(max_output_tokens !== undefined && { max_output_tokens }),
    native_tools: tools,
    images,
  };
}
