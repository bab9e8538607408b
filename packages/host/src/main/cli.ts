import { ApiError } from '@rostra/protocol/wire/api-error';
import { runCommand } from 'citty';
import manifest from '../../package.json' with { type: 'json' };
import { readCommand, usageOf } from './command-line.ts';
import { root, USAGE } from './commands/root.ts';
import { UsageError } from './commands/usage-error.ts';

const WRONG_USAGE = 2;

/** One sentence and what to do; a stack only for what should not happen. Machines get the error as the API has it. */
function fail(error: unknown): void {
  if (error instanceof ApiError) {
    const { hint } = error.details;
    const words = `${error.message}\n${typeof hint === 'string' ? `→ ${hint}\n` : ''}`;
    process.stderr.write(process.argv.includes('--json') ? `${JSON.stringify(error)}\n` : words);
  } else {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  }
  process.exit(error instanceof UsageError ? WRONG_USAGE : 1);
}

// Whoever read our words may leave before us.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

async function main(): Promise<void> {
  const asked = await readCommand(root, process.argv.slice(2));
  if (asked.do === 'run') await runCommand(asked.command, { rawArgs: asked.args }).catch(fail);
  else if (asked.do === 'version') process.stdout.write(`${manifest.version}\n`);
  else {
    const usage = asked.command === null ? USAGE : await usageOf(asked.command, asked.names);
    if (asked.do === 'help') process.stdout.write(`${usage}\n`);
    else {
      process.stderr.write(`${asked.problem}\n\n${usage}\n`);
      process.exitCode = WRONG_USAGE;
    }
  }
}

void main();
