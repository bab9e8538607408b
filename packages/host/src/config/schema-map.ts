import type { ConfigPath } from '@rostra/protocol/config/config-problem';
import { type ConfigSchema, hostConfigSchema } from '@rostra/protocol/config/config-schema';

let root: ConfigSchema | null = null;

/** What the schema says about a path. Where it allows several kinds, it answers for all of them. */
export class SchemaMap {
  readonly #root: ConfigSchema;

  constructor() {
    root ??= hostConfigSchema();
    this.#root = root;
  }

  /** The keys that may stand in the section at this path. */
  keysAt(path: ConfigPath): string[] {
    return [...new Set(this.#at(path).flatMap(({ properties }) => Object.keys(properties ?? {})))];
  }

  /** Whether a value of this type may stand there. What the schema leaves open takes everything. */
  accepts(path: ConfigPath, type: 'string' | 'null'): boolean {
    const schemas = this.#at(path);
    return schemas.length === 0 || schemas.some((schema) => schema.type === undefined || schema.type === type);
  }

  isSecret(path: ConfigPath): boolean {
    return this.#at(path).some(({ secret }) => secret === true);
  }

  #at(path: ConfigPath): ConfigSchema[] {
    let schemas = this.#kinds(this.#root);
    for (const part of path) schemas = schemas.flatMap((schema) => this.#kinds(childOf(schema, part)));
    return schemas;
  }

  /** The schema, or the ones of which it allows any; each keeps what is said about them all. */
  #kinds(schema: ConfigSchema | undefined): ConfigSchema[] {
    if (schema === undefined) return [];
    if (typeof schema.$ref === 'string') return [{}];
    const { anyOf, secret } = schema;
    if (anyOf === undefined) return [schema];
    return anyOf.flatMap((each) =>
      typeof each === 'object' ? this.#kinds({ ...each, ...(secret === true && { secret }) }) : [],
    );
  }
}

function childOf(schema: ConfigSchema, part: string | number): ConfigSchema | undefined {
  const { properties = {}, items, additionalProperties } = schema;
  if (typeof part === 'number') return typeof items === 'object' && !Array.isArray(items) ? items : undefined;
  const own = Object.hasOwn(properties, part) ? properties[part] : additionalProperties;
  return typeof own === 'object' ? own : undefined;
}
