import { ApiError } from '@rostra/protocol/wire/api-error';
import { runCommand } from 'citty';
import manifest from '../../package.json' with { type: 'json' };
import { type Asked, readCommand, usageOf, wantsJson } from './command-line.ts';
import { errorText } from './commands/error-text.ts';
import { root, USAGE } from './commands/root.ts';
import { UsageError } from './commands/usage-error.ts';
import { endWithoutReader } from './lost-output.ts';

const WRONG_USAGE = 2;

const words = process.argv.slice(2);
const isJson = wantsJson(words);

/** One sentence and what to do; a stack only for what should not happen. Machines get the error as the API has it. */
function fail(error: unknown): void {
  const told = error instanceof Error ? error.stack : String(error);
  process.stderr.write(`${error instanceof ApiError ? errorText(error, isJson) : told}\n`);
  process.exit(error instanceof UsageError ? WRONG_USAGE : 1);
}

/** People see at once what the command takes; machines learn how to ask for it. */
function refuse({ problem, names }: Extract<Asked, { do: 'refuse' }>, usage: string): void {
  if (isJson) fail(new UsageError(problem, `\`${['rostra', ...names, '--help'].join(' ')}\` tells what it takes.`));
  process.stderr.write(`${problem}\n\n${usage}\n`);
  process.exitCode = WRONG_USAGE;
}

async function main(): Promise<void> {
  const asked = await readCommand(root, words);
  if (asked.do === 'run') await runCommand(asked.command, { rawArgs: asked.args }).catch(fail);
  else if (asked.do === 'version') process.stdout.write(`${manifest.version}\n`);
  else {
    const usage = asked.command === null ? USAGE : await usageOf(asked.command, asked.names);
    if (asked.do === 'help') process.stdout.write(`${usage}\n`);
    else refuse(asked, usage);
  }
}

endWithoutReader();
void main();
