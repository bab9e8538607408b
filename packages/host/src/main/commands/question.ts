import { createInterface } from 'node:readline';
import { UsageError } from './usage-error.ts';

/** As a shell has it for a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/**
 * Asks a person for a yes, and tells what did not happen where it is not given; where nobody can be asked, the yes must
 * stand on the command line. Ctrl-C and Ctrl-D are a no.
 */
export async function confirmed(question: string, otherwise: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('There is no terminal to ask at.', 'Add --yes.');
  const answer = await answerTo(`${question} [y/N] `);
  if (answer !== null && /^y(es)?$/i.test(answer.trim())) return true;
  process.stderr.write(`${otherwise}\n`);
  process.exitCode ??= 1;
  return false;
}

/** What was typed; null where it ended without an answer. */
function answerTo(question: string): Promise<string | null> {
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  let answer: string | null = null;
  return new Promise((resolve) => {
    asking.once('SIGINT', () => {
      process.exitCode = INTERRUPTED;
      asking.close();
    });
    asking.once('close', () => {
      // The cursor still stands behind the question.
      if (answer === null) process.stderr.write('\n');
      resolve(answer);
    });
    asking.question(question, (typed) => {
      answer = typed;
      asking.close();
    });
  });
}
