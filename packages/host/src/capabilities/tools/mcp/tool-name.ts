import { createHash } from 'node:crypto';

/** What every provider takes as the name of a tool. */
const NAME_CHARS = 64;
const SUFFIX_CHARS = 8;

/**
 * The names by which the tools of one server are offered. Whatever does not fit is replaced; those that are too long
 * then, or the same, end with a hash of their own name, all of them: no tool takes the name of another one by appearing.
 * Those that are still the same were made so, and none of them is offered.
 */
export function offeredNames(server_id: string, tools: readonly string[]): Map<string, string> {
  const fitted = tools.map((tool) => `${server_id}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`);
  const count = counted(fitted);
  const named = tools.map((tool, at): [string, string] => {
    const name = fitted[at] ?? '';
    const fits = name.length <= NAME_CHARS && count.get(name) === 1;
    return [tool, fits ? name : `${name.slice(0, NAME_CHARS - SUFFIX_CHARS - 1)}_${shortHash(tool)}`];
  });
  const taken = counted(named.map(([, name]) => name));
  return new Map(named.filter(([, name]) => taken.get(name) === 1));
}

function counted(names: readonly string[]): Map<string, number> {
  const count = new Map<string, number>();
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1);
  return count;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SUFFIX_CHARS);
}
