import type { ModelDetails, ModelTrial } from '@rostra/protocol/run-api/model-api';
import type { SentBodyOf } from '@rostra/protocol/run-api/operation';
import { modelOperations } from '@rostra/protocol/run-api/operations/models';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { Caller, CallOptions } from '../caller.ts';
import { ifMatch } from '../revision.ts';

/** Models that agents may use. Keys go in and never come out. */
export class Models {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  list(options: CallOptions = {}) {
    return this.#caller.call(modelOperations.listModels, options);
  }

  get(modelId: string, options: CallOptions = {}): Promise<ModelDetails> {
    return this.#caller.call(modelOperations.getModel, { params: { modelId }, ...options });
  }

  create(body: SentBodyOf<typeof modelOperations.createModel>): Promise<ModelDetails> {
    return this.#caller.call(modelOperations.createModel, { body });
  }

  /** A merge patch of its description; with `revision` only if nobody changed it meanwhile. */
  change(modelId: string, config: JsonObject, { revision }: { revision?: number } = {}): Promise<ModelDetails> {
    const headers = ifMatch(revision);
    return this.#caller.call(modelOperations.changeModel, { params: { modelId }, body: { config }, headers });
  }

  async delete(modelId: string, { revision }: { revision?: number } = {}): Promise<void> {
    await this.#caller.call(modelOperations.deleteModel, { params: { modelId }, headers: ifMatch(revision) });
  }

  /** One small call, and how it went. */
  test(modelId: string, options: CallOptions = {}): Promise<ModelTrial> {
    return this.#caller.call(modelOperations.testModel, { params: { modelId }, ...options });
  }
}
