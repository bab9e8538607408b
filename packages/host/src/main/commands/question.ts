import { createInterface } from 'node:readline/promises';
import { UsageError } from './usage-error.ts';

/** Asks a person for a yes; where nobody can be asked, the yes must stand on the command line. */
export async function confirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask at.', 'Add --yes.');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `)).trim());
  } finally {
    asking.close();
  }
}
