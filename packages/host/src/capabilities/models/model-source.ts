import type { ModelConfig } from '@rostra/protocol/config/model-config';

/** A model and where it is described. */
export interface SourcedModel {
  readonly config: ModelConfig;
  readonly source: 'file' | 'store' | 'detected';
  /** The variable that its key came from, for the sentence about a key that is refused. */
  readonly key_variable?: string | undefined;
}

/** All models of the host by id, the strongest description of each; read anew whenever it is needed. */
export type ModelSources = () => Readonly<Record<string, SourcedModel>>;
