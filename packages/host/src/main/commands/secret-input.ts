import { readFileSync } from 'node:fs';
import { UsageError } from './usage-error.ts';

/** Secrets come by variables, files and pipes: other users see the arguments of a process. */
export function fromVariable(name: string): string {
  const value = process.env[name] ?? '';
  if (value === '') throw new UsageError(`The variable ${name} is not set.`, 'Set it, or name another.');
  return value;
}

/** The first line of a file, or of what is open already. */
export function fromFile(file: string | number): string {
  const text = readText(file).split('\n')[0]?.trim() ?? '';
  if (text === '') throw new UsageError(`${nameOf(file)} holds no secret.`, 'Put it on the first line.');
  return text;
}

/** `NAME,OTHER`: variables of this environment by their names. */
export function variablesOf(list: string | undefined): Record<string, string> {
  return Object.fromEntries(items(list).map((name) => [name, fromVariable(name)]));
}

/** `Authorization=TOKEN`: a header, and the variable that holds its value. */
export function headersOf(list: string | undefined): Record<string, string> {
  return Object.fromEntries(
    items(list).map((pair) => {
      const [header = '', variable = ''] = pair.split('=');
      if (header === '' || variable === '') {
        throw new UsageError(`--headers is a list like Authorization=VARIABLE, not ${JSON.stringify(list)}.`);
      }
      return [header, fromVariable(variable)];
    }),
  );
}

function items(list: string | undefined): string[] {
  const all = list?.split(',').map((item) => item.trim());
  return all?.filter((item) => item !== '') ?? [];
}

function readText(file: string | number): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    throw new UsageError(`${nameOf(file)} cannot be read (${String(error.code)}).`, 'Name a file that you may read.');
  }
}

function nameOf(file: string | number): string {
  return typeof file === 'string' ? file : 'Standard input';
}
