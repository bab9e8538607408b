import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';

type Environment = Readonly<Record<string, string | undefined>>;

/** A text as it is after expansion, or why it cannot be expanded. `from` is null when it stands as it was written. */
export type Expansion = { text: string; from: 'variable' | 'file' | null } | { mistake: string };

/** `~` is the person's own folder; anything else is seen from `folder`. */
export function resolveFrom(folder: string, file: string): string {
  return file === '~' || file.startsWith('~/') ? path.join(homedir(), file.slice(1)) : path.resolve(folder, file);
}

/** `${NAME}` becomes the variable's value, `$${` is a plain `${`, and `file:PATH` the content of that file. */
export function expand(text: string, env: Environment, folder: string): Expansion {
  const { replaced, missing, malformed, used } = replaceVariables(text, env);
  if (malformed)
    return {
      mistake: 'has a "$" and "{" without a name and "}" behind it; a second "$" in front makes them plain characters',
    };
  if (missing.length > 0) {
    const names = missing.join(', ');
    return {
      mistake: `needs the variable${missing.length > 1 ? 's' : ''} ${names}, which the environment does not have`,
    };
  }
  // A URL of a file is an ordinary text.
  if (replaced.startsWith('file:') && !replaced.startsWith('file://')) return readSecret(replaced.slice(5), folder);
  return { text: replaced, from: used ? 'variable' : null };
}

/** An empty variable counts as unset. */
function replaceVariables(text: string, env: Environment) {
  const missing: string[] = [];
  let malformed = false;
  let used = false;
  const replaced = text.replaceAll(/\$\$\{|\$\{(?:([A-Za-z_]\w*)\})?/g, (found: string, name: string | undefined) => {
    if (found === '$${') return '${';
    if (name === undefined) {
      malformed = true;
      return found;
    }
    used = true;
    const value = env[name] ?? '';
    if (value === '') missing.push(name);
    return value;
  });
  return { replaced, missing, malformed, used };
}

/** Editors end a file with a line break, which is not part of the secret. */
function readSecret(name: string, folder: string): Expansion {
  const file = resolveFrom(folder, name);
  try {
    const stat = statSync(file);
    if (!stat.isFile()) return { mistake: `names ${file}, which is not a file` };
    if (stat.size > limits.secret_file_bytes) return { mistake: `names ${file}, which is larger than any secret` };
    const text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    return text === '' ? { mistake: `names ${file}, which is empty` } : { text, from: 'file' };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { mistake: `names ${file}, which cannot be read (${error.code})` };
  }
}
