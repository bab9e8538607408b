import { ApiError } from '@rostra/protocol/wire/api-error';
import { wantsJson } from './command-line.ts';
import { errorText } from './commands/error-text.ts';

/** 128 + SIGPIPE, what a shell says of a program that this signal ended: Node ignores it, so we give the code. */
const READER_LEFT = 141;

const outputs = [process.stdout, process.stderr];

/** A command works for whoever reads it: without a reader it ends, whatever else it waits for. */
export function endWithoutReader(): void {
  for (const output of outputs) output.on('error', end);
}

/** A host serves others than whoever reads its log. */
export function goOnWithoutReader(): void {
  for (const output of outputs) output.off('error', end).on('error', () => undefined);
}

function end({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') process.exit(READER_LEFT);
  const error = new ApiError('runtime_error', `The output cannot be written (${code ?? message}).`, {
    details: { hint: 'Make room where it goes, or send it elsewhere.' },
  });
  process.stderr.write(`${errorText(error, wantsJson(process.argv))}\n`);
  process.exit(1);
}
