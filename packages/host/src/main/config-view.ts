import type { ConfigPath } from '@rostra/protocol/config/config-problem';
import type { Json } from '@rostra/protocol/wire/json';
import { pathText } from '../config/config-error.ts';
import { leavesOf, valueAt } from '../config/config-tree.ts';
import { SchemaMap } from '../config/schema-map.ts';
import type { Configuration } from './configuration.ts';

/** One value as it may be shown. */
export interface ConfigRow {
  readonly key: string;
  /** As it is in the file; `SECRET` for what is nobody's to see. */
  readonly value: Json;
  /** `flag --port`, `env ROSTRA_PORT`, `file rostra.yaml:3`, `store`, `default` */
  readonly origin: string;
}

export const SECRET = '(secret)';
/** In a runner's own configuration the schema is not ours: there a name must do. */
const secretName = /(key|token|secret|password|passwd|credentials?)$/i;

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Where models and servers of tools are reached. */
function isAddress([section, second, third, fourth]: ConfigPath): boolean {
  if (section === 'models') return second !== undefined && third === 'base_url';
  return section === 'tools' && second === 'servers' && third !== undefined && fourth === 'url';
}

/** A file may name credentials in an address, or a key in its query. */
function hasSecret(address: unknown): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { username, password, search } = new URL(address);
  return `${username}${password}${search}` !== '';
}

function isSecret(configuration: Configuration, schema: SchemaMap, at: ConfigPath): boolean {
  if (schema.isSecret(at) || configuration.file?.isSecretFile(at) === true) return true;
  if (isAddress(at) && hasSecret(valueAt(configuration.config, at))) return true;
  return at[0] === 'agents' && at[2] === 'config' && at.slice(3).some((part) => isSecretName(String(part)));
}

/** Everything that holds and where it comes from. What a variable filled in is shown as it was written. */
export function configRows(configuration: Configuration): ConfigRow[] {
  const schema = new SchemaMap();
  return leavesOf(configuration.config).map(({ path, value }) => ({
    key: pathText(path),
    value: shown(configuration, schema, path, value),
    origin: originText(configuration, path),
  }));
}

/** The same as values; null stands for a secret. */
export function settingRows(configuration: Configuration) {
  const schema = new SchemaMap();
  return leavesOf(configuration.config).map(({ path, value }) => {
    const secret = value !== null && isSecret(configuration, schema, path);
    const shownValue: Json = secret ? null : JSON.parse(JSON.stringify(value ?? null));
    return { key: pathText(path), value: shownValue, isSecret: secret, origin: originText(configuration, path) };
  });
}

/** Every text that must not be in a log. */
export function secretsOf(configuration: Configuration): string[] {
  const { api_key } = configuration.config.auth;
  // The schema takes longer to read than the whole rest of a configuration without a file.
  if (configuration.file === null) return api_key === null ? [] : [api_key];
  const schema = new SchemaMap();
  const secrets = leavesOf(configuration.config).filter(({ path }) => isSecret(configuration, schema, path));
  return secrets.flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
}

function shown(configuration: Configuration, schema: SchemaMap, at: ConfigPath, value: unknown): Json {
  if (value !== null && isSecret(configuration, schema, at)) return SECRET;
  if (Array.isArray(value)) return value.map((item, index) => shown(configuration, schema, [...at, index], item));
  const written = configuration.originOf(at).from === 'file' ? configuration.file?.writtenAs(at) : undefined;
  return written ?? JSON.parse(JSON.stringify(value ?? null));
}

/** A value as people read it; a secret without the quotes of a text. */
export function valueText(value: Json): string {
  if (value === SECRET) return SECRET;
  return Array.isArray(value) ? `[${value.map(valueText).join(', ')}]` : JSON.stringify(value);
}

function originText(configuration: Configuration, at: ConfigPath): string {
  const origin = configuration.originOf(at);
  if (origin.from === 'file') return `file ${configuration.file?.shown}:${origin.place.line}`;
  return 'name' in origin ? `${origin.from} ${origin.name}` : origin.from;
}
