import { ApiError } from '@rostra/protocol/wire/api-error';
import { systemTimers } from '@rostra/transport/timers';
import { checkRunner } from '../conformance/check-runner.ts';
import { summaryText, verdictText } from '../conformance/verdict-text.ts';
import { colorsFor } from './commands/printing.ts';

export interface CheckArguments {
  readonly command: readonly string[];
  readonly runner?: string | undefined;
  readonly input?: string | undefined;
  readonly flood?: string | undefined;
  readonly timeout?: string | undefined;
  readonly json?: boolean | undefined;
}

const PATIENCE_SECONDS = 30;
/** More words than a run has credit for results. */
const FLOOD_WORDS = 600;
/** What a runner gets from the environment of whoever checks it; a host gives it no more. */
const inherited = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR', 'TZ'];

/** Drives the checks against a command and prints the verdicts; resolves with the exit code. */
export async function runCheck(args: CheckArguments): Promise<number> {
  const [file, ...rest] = args.command;
  if (file === undefined) {
    throw new ApiError('invalid_argument', 'There is no command to check.', {
      details: { hint: 'Put it behind two dashes: rostra runners check -- node dist/src/main.js' },
    });
  }
  const options = {
    command: { file, args: rest, cwd: process.cwd(), env: environment() },
    timers: systemTimers,
    patience: patienceOf(args.timeout),
    input: args.input ?? 'hello',
    flood: args.flood ?? Array.from({ length: FLOOD_WORDS }, (_, n) => `word-${n + 1}`).join(' '),
    runner_id: args.runner,
  };
  const colors = colorsFor(process.stdout.isTTY === true && args.json !== true);
  const verdicts = await checkRunner(options, (verdict) => {
    if (args.json !== true) process.stdout.write(`${verdictText(verdict, colors)}\n`);
  });
  process.stdout.write(args.json ? `${JSON.stringify(verdicts, null, 2)}\n` : `\n${summaryText(verdicts)}\n`);
  return verdicts.some(({ outcome }) => outcome === 'broken') ? 1 : 0;
}

function patienceOf(text: string | undefined): number {
  const seconds = text === undefined ? PATIENCE_SECONDS : Number(text);
  if (Number.isFinite(seconds) && seconds > 0) return seconds * 1000;
  throw new ApiError('invalid_argument', `--timeout is a number of seconds, not ${JSON.stringify(text)}.`);
}

function environment(): Record<string, string> {
  const pairs = inherited.flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(pairs);
}
