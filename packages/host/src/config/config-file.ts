import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type ConfigPath, type ConfigProblem, checkHostConfig } from '@rostra/protocol/config/config-problem';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { configError, type Place, pathText, type ValueFault } from './config-error.ts';
import { valueAt } from './config-tree.ts';
import { nearest } from './nearest.ts';
import { SchemaMap } from './schema-map.ts';
import { expand } from './value-expansion.ts';

/** A configuration file that is right: what it says, where it says it, and what of it must not be shown. */
export interface ConfigFile {
  readonly path: string;
  /** How a person knows it: from where they stand. */
  readonly shown: string;
  /** What it says, without defaults. */
  readonly value: Json;
  placeOf(path: ConfigPath): Place;
  /** The text before its variables were filled in; null for one that has none. */
  writtenAs(path: ConfigPath): string | null;
  /** Whether the value was read from a file of its own. */
  isSecretFile(path: ConfigPath): boolean;
}

export interface ConfigFileOptions {
  readonly path: string;
  readonly shown: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  check(config: HostConfig): ValueFault[];
}

/** Reads a file that must be there; refuses it with all its mistakes at once. */
export async function readConfigFile({ path: file, shown, env, check }: ConfigFileOptions): Promise<ConfigFile> {
  const text = readText(file, shown);
  const { readYaml } = await import('./yaml-tree.ts');
  const schema = new SchemaMap();
  const written = new Map<string, string>();
  const secretFiles = new Set<string>();
  const tree = readYaml(text, (raw, at, plain) => {
    const expansion = expand(raw, env, path.dirname(file));
    if ('mistake' in expansion) return expansion;
    if (expansion.from === 'variable') written.set(JSON.stringify(at), raw);
    if (expansion.from === 'file') secretFiles.add(JSON.stringify(at));
    const wantsNoText = expansion.from === 'variable' && plain && !schema.accepts(at, 'string');
    return { value: wantsNoText ? plainValue(expansion.text) : expansion.text };
  });
  if (tree.torn.length > 0) throw configError(shown, tree.torn);
  const value = withoutEmptySections(tree.value ?? {}, [], schema);
  // A text that could not be filled in is wrong already; what else would be said of it is no news.
  const known = new Set(tree.faults.map(({ path: at }) => JSON.stringify(at)));
  const further = faultsOf(value, schema, check).filter(({ path: at }) => !known.has(JSON.stringify(at)));
  const faults = [...tree.faults, ...further];
  if (faults.length > 0) {
    const mistakes = faults.map(({ path: at, sentence }) => ({ place: tree.placeOf(at), sentence }));
    throw configError(shown, mistakes);
  }
  return {
    path: file,
    shown,
    value,
    placeOf: tree.placeOf,
    writtenAs: (at) => written.get(JSON.stringify(at)) ?? null,
    isSecretFile: (at) => secretFiles.has(JSON.stringify(at)),
  };
}

function readText(file: string, shown: string): string {
  try {
    if (statSync(file).size > limits.config_bytes) {
      throw configError(shown, [{ place: null, sentence: `This is larger than ${limits.config_bytes} bytes.` }]);
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof ApiError || !(error instanceof Error && 'code' in error)) throw error;
    throw new ApiError('invalid_argument', `The configuration ${shown} cannot be read (${error.code}).`, {
      details: { hint: 'Name a file that this user may read: --config FILE, or ROSTRA_CONFIG.' },
    });
  }
}

/** What a plain `${PORT}` stands for where no text can stand. */
function plainValue(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** A section whose lines are all commented out is read as null; it says nothing. */
function withoutEmptySections(value: Json, path: ConfigPath, schema: SchemaMap): Json {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, each]) => each !== null || schema.accepts([...path, key], 'null'))
      .map(([key, each]) => [key, withoutEmptySections(each, [...path, key], schema)]),
  );
}

function faultsOf(value: Json, schema: SchemaMap, check: ConfigFileOptions['check']): ValueFault[] {
  const checked = checkHostConfig(value);
  if ('config' in checked) return check(checked.config);
  const meant = checked.problems.map((problem) => ({ problem, word: nearestTo(problem, value, schema) }));
  // A key that is missing because it was misspelt is one mistake.
  const misspelt = new Set(
    meant.flatMap(({ problem: { path: at, must }, word }) =>
      must === null && word !== null ? [JSON.stringify([...at.slice(0, -1), word])] : [],
    ),
  );
  return meant
    .filter(({ problem: { path: at, is_missing } }) => !(is_missing && misspelt.has(JSON.stringify(at))))
    .map(({ problem: { path: at, must }, word }) => {
      const what = must === null ? 'is not a key of the configuration' : must;
      return { path: at, sentence: `${pathText(at) || 'The file'} ${what}.${suggestion(word)}` };
    });
}

/** The valid key, or the valid word, that is nearest to what stands there. */
function nearestTo({ path: at, must, choices }: ConfigProblem, value: Json, schema: SchemaMap): string | null {
  if (must === null) {
    const key = String(at.at(-1) ?? '');
    // The same word is valid in another kind of entry, which does not help here.
    return nearest(
      key,
      schema.keysAt(at.slice(0, -1)).filter((word) => word !== key),
    );
  }
  const given = choices.length > 0 ? valueAt(value, at) : null;
  return typeof given === 'string' ? nearest(given, choices) : null;
}

function suggestion(meant: string | null): string {
  return meant === null ? '' : ` Did you mean "${meant}"?`;
}
