import type { ConfigPath } from '@rostra/protocol/config/config-problem';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';

/** The value at a path; undefined where there is none. */
export function valueAt(tree: unknown, path: ConfigPath): unknown {
  let found: unknown = tree;
  for (const part of path) {
    if (Array.isArray(found)) found = found[Number(part)];
    else found = isJsonObject(found) && Object.hasOwn(found, part) ? found[part] : undefined;
  }
  return found;
}

/** The same tree with another value at a path of sections. */
export function withValue(tree: Json | undefined, [key, ...rest]: ConfigPath, value: Json): Json {
  if (key === undefined) return value;
  const section = isJsonObject(tree) ? tree : {};
  return { ...section, [key]: withValue(section[key], rest, value) };
}

/** `above` wins; sections are merged, everything else is replaced as a whole. */
export function merged(below: Json | undefined, above: Json | undefined): Json {
  if (above === undefined) return below ?? null;
  if (!isJsonObject(below) || !isJsonObject(above)) return above;
  const keys = new Set([...Object.keys(below), ...Object.keys(above)]);
  return Object.fromEntries([...keys].map((key) => [key, merged(below[key], above[key])]));
}

/** Every value that has no keys or entries of its own, with its path. */
export function leavesOf(tree: unknown, path: ConfigPath = []): { path: ConfigPath; value: unknown }[] {
  if (Array.isArray(tree) && tree.some((item) => typeof item === 'object' && item !== null)) {
    return tree.flatMap((item, index) => leavesOf(item, [...path, index]));
  }
  if (!isJsonObject(tree) || Object.keys(tree).length === 0) return [{ path, value: tree }];
  return Object.entries(tree).flatMap(([key, value]) => leavesOf(value, [...path, key]));
}
