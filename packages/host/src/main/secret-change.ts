import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type Json, type JsonObject, jsonObjectOf } from '@rostra/protocol/wire/json';
import { mergePatch } from '../config/merge-patch.ts';
import { type SecretParts, splitSecrets, withoutQuery } from '../config/secret-parts.ts';
import { withSecretsOf } from './agent-secrets.ts';
import { SECRET } from './config-view.ts';

const MASKED_QUERY = `?${SECRET}`;
/** A file may name credentials in an address; what is made at run time may not. */
const userinfo = /\/\/[^/?#]*@/;

/** A description as it may be shown. */
export function masked(description: JsonObject, parts: SecretParts): JsonObject {
  const { secret } = splitSecrets(description, parts);
  const shown: JsonObject = { ...description };
  for (const [key, value] of Object.entries(secret)) {
    if (key === parts.address && typeof value === 'string') shown[key] = withoutQuery(value) + MASKED_QUERY;
    else if (isJsonObject(value)) shown[key] = Object.fromEntries(Object.keys(value).map((name) => [name, SECRET]));
    else shown[key] = SECRET;
  }
  const address = shown[parts.address];
  if (typeof address === 'string') shown[parts.address] = address.replace(userinfo, `//${SECRET}@`);
  return shown;
}

/** A new description; what only stands for a secret is refused. */
export function described(given: JsonObject, parts: SecretParts): JsonObject {
  return withSecretsOf({}, withAddress({}, given, parts));
}

/**
 * The description after a patch, where what was shown in place of a secret stands for that secret. Secrets were given
 * for one address: they do not follow a description to another one by themselves.
 */
export function changed(before: JsonObject, patch: JsonObject, parts: SecretParts): JsonObject {
  const merged = mergePatch(before, withAddress(before, patch, parts));
  const after = withSecretsOf(before, merged);
  if (parts.placeOf(after) === parts.placeOf(before)) return after;
  const { secret } = splitSecrets(after, parts);
  const kept = Object.entries(secret).filter(([key, value]) => key !== parts.address && !isGiven(value, patch[key]));
  if (kept.length === 0) return after;
  const names = kept.map(([key]) => key).join(' and ');
  throw new ApiError('invalid_argument', `config: ${names} was given for another address`, {
    details: { in: 'body', path: 'config', hint: `Send ${names} again with the new address, or null to leave it out.` },
  });
}

/** Whether a patch brings all of a secret itself. */
function isGiven(value: Json, patched: Json | undefined): boolean {
  if (!isJsonObject(value)) return patched !== undefined && patched !== SECRET;
  const given = jsonObjectOf(patched);
  return Object.keys(value).every((name) => Object.hasOwn(given, name) && given[name] !== SECRET);
}

function withAddress(before: JsonObject, given: JsonObject, { address }: SecretParts): JsonObject {
  const value = given[address];
  if (typeof value !== 'string' || !value.endsWith(MASKED_QUERY)) return given;
  const known = before[address];
  if (typeof known === 'string' && withoutQuery(known) === withoutQuery(value)) return { ...given, [address]: known };
  throw new ApiError('invalid_argument', `config.${address}: ${SECRET} stands for a query that is not kept here`, {
    details: { in: 'body', path: `config.${address}`, hint: 'Send the whole address.' },
  });
}
