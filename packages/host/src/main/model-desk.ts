import type { ModelDetails, ModelItem, ModelPatch, ModelTrial, NewModel } from '@rostra/protocol/run-api/model-api';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { JsonObject } from '@rostra/protocol/wire/json';
import type { ModelClock } from '../capabilities/models/model-clock.ts';
import { keyOf } from '../capabilities/models/model-key.ts';
import type { ModelShelf } from '../capabilities/models/model-shelf.ts';
import type { SourcedModel } from '../capabilities/models/model-source.ts';
import type { ModelRegistry } from '../config/model-registry.ts';
import { modelSecrets } from '../config/secret-parts.ts';
import type { ExpectedRevision } from '../http/revision.ts';
import type { ModelDesk } from '../http/routes/models.ts';
import type { Principal } from '../session/session-gateway.ts';
import { type AdminTrail, tellAct } from './admin-act.ts';
import { failedTrial, tryModel } from './model-trial.ts';
import { problemOf, SealedDesk, type SealedWords } from './sealed-desk.ts';
import { masked } from './secret-change.ts';
import type { Environment } from './settings.ts';

export interface ModelDeskOptions extends AdminTrail {
  readonly registry: ModelRegistry;
  readonly shelf: Pick<ModelShelf, 'find' | 'list'>;
  readonly environment: Environment;
  readonly clock: ModelClock;
  /** Lets new runs see what changed, and the log keep it secret. */
  readonly apply: () => Promise<void>;
}

/** A model as it is listed: one whose key cannot be read is there as well, and cannot be called. */
interface Listed extends SourcedModel {
  readonly id: string;
  readonly locked: ApiError | null;
}

const words: SealedWords = {
  noun: 'model',
  act: 'model',
  exists: 'MODEL_EXISTS',
  read_only: 'MODEL_READ_ONLY',
  list: '/api/v1/models',
};

/** Models as people manage them while the host runs. */
export class ManagedModels implements ModelDesk {
  readonly #options: ModelDeskOptions;
  readonly #desk: SealedDesk<SourcedModel['config']>;

  constructor(options: ModelDeskOptions) {
    this.#options = options;
    const isFound = (id: string) => options.shelf.list().some(({ model_id }) => model_id === id);
    const elsewhere = (id: string) => (isFound(id) ? 'the environment of the host' : null);
    this.#desk = new SealedDesk({ ...options, words, elsewhere });
  }

  list(): ModelItem[] {
    return this.#listed().map((model) => this.#item(model));
  }

  get(model_id: string): ModelDetails {
    const model = this.#find(model_id);
    const stored = this.#options.registry.entries.find(({ id }) => id === model_id);
    return {
      ...this.#item(model),
      revision: stored?.revision ?? null,
      config: masked(JsonObject.parse(JSON.parse(JSON.stringify(model.config))), modelSecrets),
    };
  }

  async create({ id, config }: NewModel, by: Principal): Promise<ModelDetails> {
    await this.#desk.create(id, config, by);
    return this.get(id);
  }

  async change(
    model_id: string,
    { config }: ModelPatch,
    expected: ExpectedRevision,
    by: Principal,
  ): Promise<ModelDetails> {
    await this.#desk.change(model_id, config, expected, by);
    return this.get(model_id);
  }

  remove(model_id: string, expected: ExpectedRevision, by: Principal): Promise<void> {
    return this.#desk.remove(model_id, expected, by);
  }

  async test(model_id: string, by: Principal): Promise<ModelTrial> {
    const { shelf, clock } = this.#options;
    const { locked } = this.#find(model_id);
    if (locked !== null) return failedTrial(0, locked);
    const model = shelf.find(model_id);
    if (model === null) throw this.#desk.notFound();
    const trial = await tryModel(model, clock);
    tellAct(this.#options, by, 'model.test', model_id, { ok: trial.ok, reason: trial.reason });
    return trial;
  }

  #find(model_id: string): Listed {
    const found = this.#listed().find(({ id }) => id === model_id);
    if (found === undefined) throw this.#desk.notFound();
    return found;
  }

  #listed(): Listed[] {
    const { shelf, registry } = this.#options;
    const sealed = registry.entries.flatMap(({ id, config, locked }): Listed[] =>
      locked === null ? [] : [{ id, config, source: 'store', locked }],
    );
    const usable = shelf.list().filter(({ model_id }) => !sealed.some(({ id }) => id === model_id));
    return [...usable.map(({ model_id: id, ...model }) => ({ ...model, id, locked: null })), ...sealed];
  }

  #item(model: Listed): ModelItem {
    const { id, config, source, locked } = model;
    const { kind, provider, model: name, label = null } = config;
    const key = locked ?? this.#key(model);
    const hasKey = !(key instanceof ApiError) && key.value !== null;
    return {
      id,
      kind,
      provider,
      model: name,
      label,
      source,
      isReadOnly: source !== 'store',
      hasKey,
      keyVariable: hasKey && Object.hasOwn(this.#options.environment, key.where) ? key.where : null,
      problem: key instanceof ApiError ? problemOf(key) : null,
    };
  }

  #key(model: Listed): ReturnType<typeof keyOf> | ApiError {
    try {
      return keyOf(model.id, model, this.#options.environment);
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }
}
