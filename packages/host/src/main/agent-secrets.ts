import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';
import { isSecretName, SECRET } from './config-view.ts';

function concealed(value: Json, name: string): Json {
  if (isJsonObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, concealed(each, key)]));
  if (Array.isArray(value)) return value.map((each) => concealed(each, name));
  return value !== null && isSecretName(name) ? SECRET : value;
}

/** An agent's description as it may be shown: what its runner is configured with may hold keys of others. */
export function withoutSecrets(description: JsonObject): JsonObject {
  const { config } = description;
  return config === undefined ? description : { ...description, config: concealed(config, '') };
}

function refuseMask(): never {
  throw new ApiError('invalid_argument', `config: ${SECRET} stands for a secret that is not kept here`, {
    details: { path: 'config', hint: 'Send the secret itself, or leave it out.' },
  });
}

function revealed(value: Json, before: Json | undefined): Json {
  if (value === SECRET) return before ?? refuseMask();
  if (Array.isArray(value)) {
    // Of a list that became longer or shorter nobody knows which secret belongs where.
    const known = Array.isArray(before) && before.length === value.length ? before : [];
    return value.map((each, at) => revealed(each, known[at]));
  }
  if (!isJsonObject(value)) return value;
  const known = isJsonObject(before) ? before : {};
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, revealed(each, known[key])]));
}

/** The same description with the secrets that `before` has, where somebody sent back what was shown in their place. */
export function withSecretsOf(before: JsonObject, description: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(description).map(([key, each]) => [key, revealed(each, before[key])]));
}

/** Every text of a runner's configuration that is a secret by its name. */
export function secretsIn(value: Json, name = ''): string[] {
  if (typeof value === 'string') return isSecretName(name) ? [value] : [];
  if (Array.isArray(value)) return value.flatMap((each) => secretsIn(each, name));
  return isJsonObject(value) ? Object.entries(value).flatMap(([key, each]) => secretsIn(each, key)) : [];
}

/** A runner's configuration as it may be kept with its runs. */
export function configWithoutSecrets(config: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(config).map(([key, each]) => [key, concealed(each, key)]));
}
