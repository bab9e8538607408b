import type { ModelConfig } from '@rostra/protocol/config/model-config';
import { limits } from '@rostra/protocol/wire/limits';
import { type RegistryGround, type SealedKind, SealedRegistry } from './sealed-registry.ts';
import { modelSecrets } from './secret-parts.ts';

/** Models made at run time. */
export type ModelRegistry = SealedRegistry<ModelConfig>;

export const modelKind: SealedKind<ModelConfig> = {
  kind: 'model',
  section: ['models'],
  parts: modelSecrets,
  most: limits.stored_models,
  entriesOf: ({ models }) => models,
  fault({ base_url = '' }) {
    if (base_url === '') return null;
    const { protocol, username, password, search, hash } = new URL(base_url);
    const isPlain = /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
    return isPlain
      ? null
      : { key: 'base_url', must: 'must be an http or https address without credentials, query and fragment' };
  },
};

export function modelRegistry(ground: RegistryGround): ModelRegistry {
  return new SealedRegistry(modelKind, ground);
}
