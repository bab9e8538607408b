import type { z } from 'zod';
import { HostConfig } from './host-config.ts';

/** Where a value stands: keys and indexes from the top. */
export type ConfigPath = readonly (string | number)[];

/** One thing that is wrong with a configuration. It never holds the value itself, which may be a secret. */
export interface ConfigProblem {
  readonly path: ConfigPath;
  /** What the value must be; null when it is the key that nobody knows. */
  readonly must: string | null;
  readonly is_missing: boolean;
  /** The words of which it must be one, if it must. */
  readonly choices: readonly string[];
}

type Issue = z.core.$ZodIssue;

const nouns: Readonly<Record<string, string>> = {
  string: 'must be a text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be a section with keys of its own',
  record: 'must be a section with keys of its own',
};

/** The configuration, or everything that is wrong with it. */
export function checkHostConfig(value: unknown): { config: HostConfig } | { problems: ConfigProblem[] } {
  const { success, data, error } = HostConfig.safeParse(value);
  return success ? { config: data } : { problems: error.issues.flatMap((issue) => problemsOf(issue, [], value)) };
}

function problemsOf(issue: Issue, at: ConfigPath, value: unknown): ConfigProblem[] {
  const path = [...at, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], must: null, is_missing: false, choices: [] }));
  }
  if (issue.code === 'invalid_union') {
    const nearest = nearestBranch(issue.errors);
    if (nearest === null) return [problem(path, 'must be a text or a section with keys of its own')];
    return nearest.flatMap((inner) => problemsOf(inner, path, value));
  }
  if (issue.code === 'invalid_value') {
    const choices = issue.values.map(String);
    return [problem(path, `must be one of ${choices.join(', ')}`, choices)];
  }
  if (valueAt(value, path) === undefined) return [{ ...problem(path, 'must be given'), is_missing: true }];
  return [problem(path, sentenceOf(issue))];
}

function problem(path: ConfigPath, must: string, choices: readonly string[] = []): ConfigProblem {
  return { path, must, is_missing: false, choices };
}

/** What was meant is most likely the kind that has the fewest faults; one of another type altogether was not. */
function nearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const faults = (issues: readonly Issue[]) =>
    issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
  const alike = branches.filter(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  return alike.toSorted((a, b) => faults(a) - faults(b))[0] ?? null;
}

function sentenceOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return nouns[issue.expected] ?? `must be of type ${issue.expected}`;
    case 'too_small':
      return bound('at least', 'more than', issue.minimum, issue);
    case 'too_big':
      return bound('at most', 'less than', issue.maximum, issue);
    case 'invalid_format':
      return issue.format === 'url'
        ? 'must be a URL like https://agents.example'
        : `must be of the form ${issue.format}`;
    case 'invalid_key':
      return 'must have a name of 1 to 128 characters';
    default:
      return 'is not valid';
  }
}

function bound(
  closed: string,
  open: string,
  limit: number | bigint,
  { origin, inclusive = true }: { origin: string; inclusive?: boolean },
): string {
  const many = `${inclusive ? closed : open} ${limit}`;
  if (origin === 'string') return `must have ${many} characters`;
  return origin === 'array' ? `must have ${many} entries` : `must be ${many}`;
}

function valueAt(value: unknown, path: ConfigPath): unknown {
  let found: unknown = value;
  for (const part of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Object.entries(found).find(([key]) => key === String(part))?.[1];
  }
  return found;
}
