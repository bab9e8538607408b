import type { Json, JsonObject } from '@rostra/protocol/wire/json';

const HIDDEN = '[redacted]';
/** Shorter ones would hide half of a text, and guess nothing. */
const SECRET_CHARS_MIN = 6;
const words = new Set([
  'key',
  'keys',
  'apikey',
  'token',
  'tokens',
  'accesstoken',
  'secret',
  'secrets',
  'password',
  'passwords',
  'passwd',
  'pwd',
  'credential',
  'credentials',
  'authorization',
  'cookie',
]);

/** `api-key`, `accessToken`, `BOT_TOKEN`: what the last word of a name says is a secret. */
function isSecretName(name: string): boolean {
  const parts = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z0-9]+/);
  return words.has((parts.findLast((part) => part !== '') ?? '').toLowerCase());
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Every text that stands under the name of a secret, however deep. */
export function secretsIn(value: Json): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    !Array.isArray(value) && isSecretName(name) ? textsIn(each) : secretsIn(each),
  );
}

/** Takes secrets out of what is passed on: by their names, and by their values wherever else they stand. */
export class SecretFilter {
  readonly #known: RegExp | null;

  constructor(secrets: Iterable<string>) {
    const longestFirst = [...new Set(secrets)]
      .filter((secret) => secret.length >= SECRET_CHARS_MIN)
      .sort((a, b) => b.length - a.length);
    const forms = longestFirst.map((secret) => secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
    this.#known = forms.length === 0 ? null : new RegExp(forms.join('|'), 'g');
  }

  text(text: string): string {
    return this.#known === null ? text : text.replace(this.#known, HIDDEN);
  }

  /** A number or a flag is no secret, whatever its name: `max_tokens`. */
  json(value: Json): Json {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.json(each));
    return typeof value === 'object' && value !== null ? this.object(value) : value;
  }

  object(value: JsonObject): JsonObject {
    const entries = Object.entries(value).map(([name, each]): [string, Json] => {
      const isHidden = isSecretName(name) && textsIn(each).length > 0;
      return [this.text(name), isHidden ? HIDDEN : this.json(each)];
    });
    return Object.fromEntries(entries);
  }
}
