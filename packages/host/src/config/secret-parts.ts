import { isJsonObject, type JsonObject, jsonObjectOf } from '@rostra/protocol/wire/json';

/** Which parts of a description are secret, and where they are sent. */
export interface SecretParts {
  /** Keys whose values are secret, whole or each of their own. */
  readonly names: readonly string[];
  /** The key of an address whose query is secret. */
  readonly address: string;
  /** To whom secrets are told: they are sealed for this place and no other. */
  placeOf(given: JsonObject): string;
}

function textOf(given: JsonObject, key: string): string {
  const value = given[key];
  return typeof value === 'string' ? value : '';
}

export const modelSecrets: SecretParts = {
  names: ['api_key', 'headers'],
  address: 'base_url',
  placeOf: (given) => `${textOf(given, 'provider')} ${withoutQuery(textOf(given, 'base_url'))}`,
};

export const toolServerSecrets: SecretParts = {
  names: ['env', 'headers'],
  address: 'url',
  // Whoever may change a command can read what it is given anyway.
  placeOf: (given) => withoutQuery(textOf(given, 'url')),
};

export function withoutQuery(address: string): string {
  return address.split('?')[0] ?? '';
}

/** What may lie open, and what may not. Laid over each other they are the whole. */
export function splitSecrets(given: JsonObject, { names, address }: SecretParts) {
  const open: JsonObject = {};
  const secret: JsonObject = {};
  for (const [key, value] of Object.entries(given)) {
    if (names.includes(key)) {
      if (!isJsonObject(value) || Object.keys(value).length > 0) secret[key] = value;
      continue;
    }
    open[key] = value;
    if (key !== address || typeof value !== 'string' || !value.includes('?')) continue;
    open[key] = withoutQuery(value);
    secret[key] = value;
  }
  return { open, secret };
}

/** Every text of a description that must not be in a log. */
export function secretTexts(given: JsonObject, parts: SecretParts): string[] {
  const { secret } = splitSecrets(given, parts);
  return Object.entries(secret).flatMap(([key, value]) => {
    if (key === parts.address && typeof value === 'string') {
      return [...new URLSearchParams(value.slice(value.indexOf('?') + 1)).values()];
    }
    const texts = typeof value === 'string' ? [value] : Object.values(jsonObjectOf(value));
    return texts.filter((text) => typeof text === 'string');
  });
}
