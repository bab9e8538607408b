import { DEFAULT_PORT } from './settings.ts';

export const USAGE = `Usage: rostra start

  start        serves agents until Ctrl-C
  --help       this text
  --version    which version this is

Environment:
  ROSTRA_HOST        address to bind (127.0.0.1)
  ROSTRA_PORT        port (${DEFAULT_PORT}, or the next free one)
  ROSTRA_DATA        folder of the data (.rostra)
  ROSTRA_API_KEY     key of the owner (made on first start, in owner.key)
  ROSTRA_DURABILITY  "flush" makes every record wait for the disk (class)
  ROSTRA_HOSTS       further host names to answer to, by commas
  ROSTRA_ORIGINS     origins whose pages may use the host, by commas`;

export type Command = { do: 'start' } | { do: 'help' } | { do: 'version' } | { do: 'refuse'; problem: string };

const commands: Readonly<Record<string, Command>> = {
  start: { do: 'start' },
  help: { do: 'help' },
  '--help': { do: 'help' },
  '-h': { do: 'help' },
  '--version': { do: 'version' },
  '-v': { do: 'version' },
};

/** What the arguments ask for. Help and version win over whatever stands beside them. */
export function readCommand(args: readonly string[]): Command {
  if (args.length === 0) return { do: 'help' };
  for (const arg of args) {
    const command = Object.hasOwn(commands, arg) ? commands[arg] : undefined;
    if (command !== undefined && command.do !== 'start') return command;
  }
  const [first = '', ...rest] = args;
  if (first !== 'start') {
    const kind = first.startsWith('-') ? 'option' : 'command';
    return { do: 'refuse', problem: `There is no ${kind} ${JSON.stringify(first)}.` };
  }
  const [extra] = rest;
  if (extra === undefined) return { do: 'start' };
  const hint = 'Settings are read from the environment.';
  return { do: 'refuse', problem: `start takes no ${JSON.stringify(extra)}. ${hint}` };
}
