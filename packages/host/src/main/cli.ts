import { ApiError } from '@rostra/protocol/wire/api-error';
import { runCommand } from 'citty';
import manifest from '../../package.json' with { type: 'json' };
import { readCommand, usageOf } from './command-line.ts';
import { root, USAGE } from './commands/root.ts';

/** One sentence and what to do; a stack only for what should not happen. */
function fail(error: unknown): void {
  if (error instanceof ApiError) {
    const { hint } = error.details;
    process.stderr.write(`${error.message}\n${typeof hint === 'string' ? `→ ${hint}\n` : ''}`);
  } else {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  }
  process.exit(1);
}

// Whoever read our words may leave before us.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

const asked = await readCommand(root, process.argv.slice(2));
if (asked.do === 'run') await runCommand(asked.command, { rawArgs: asked.args }).catch(fail);
else if (asked.do === 'version') process.stdout.write(`${manifest.version}\n`);
else {
  const usage = asked.command === null ? USAGE : await usageOf(asked.command, asked.names);
  if (asked.do === 'help') process.stdout.write(`${usage}\n`);
  else {
    process.stderr.write(`${asked.problem}\n\n${usage}\n`);
    process.exitCode = 1;
  }
}
