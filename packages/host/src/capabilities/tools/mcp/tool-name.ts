import { createHash } from 'node:crypto';

/** What every provider takes as the name of a tool. */
const NAME_CHARS = 64;
const SUFFIX_CHARS = 8;

/**
 * The names by which the tools of one server are offered. Whatever does not fit is replaced; those that are too long
 * then, or the same, end with a hash of their own name, all of them: no tool takes the name of another one by appearing.
 */
export function offeredNames(server_id: string, tools: readonly string[]): Map<string, string> {
  const fitted = tools.map((tool) => `${server_id}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`);
  const count = new Map<string, number>();
  for (const name of fitted) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(
    tools.map((tool, at) => {
      const name = fitted[at] ?? '';
      const fits = name.length <= NAME_CHARS && count.get(name) === 1;
      return [tool, fits ? name : `${name.slice(0, NAME_CHARS - SUFFIX_CHARS - 1)}_${shortHash(tool)}`];
    }),
  );
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, SUFFIX_CHARS);
}
