import type { ArgDef, CommandDef } from 'citty';
import { nearest } from '../config/nearest.ts';

/** What the arguments ask for. */
export type Asked =
  | { do: 'run'; command: CommandDef; args: string[] }
  | { do: 'help'; command: CommandDef | null; names: string[] }
  | { do: 'version' }
  | { do: 'refuse'; problem: string; command: CommandDef | null; names: string[] };

/** The hint of a last place that takes as many words as there are. */
export const MANY = '…';

const help = ['--help', '-h'];
const version = ['--version', '-v'];

/** Finds the command that is asked for, and refuses what it does not take. Help wins over whatever stands beside it. */
export async function readCommand(root: CommandDef, args: readonly string[]): Promise<Asked> {
  const own = beforeDashes(args);
  const [first] = args;
  if (first === undefined || first === 'help') return { do: 'help', command: null, names: [] };
  const found = await findCommand(root, args);
  const command = found.names.length === 0 ? null : found.command;
  if (own.some((arg) => help.includes(arg))) return { do: 'help', command, names: found.names };
  if (own.some((arg) => version.includes(arg))) return { do: 'version' };
  const problem = found.problem ?? (await problemWith(found.command, found.names, found.args));
  if (problem !== null) return { do: 'refuse', problem, command, names: found.names };
  return { do: 'run', command: found.command, args: found.args };
}

interface Found {
  command: CommandDef;
  names: string[];
  args: string[];
  problem: string | null;
}

async function findCommand(root: CommandDef, given: readonly string[]): Promise<Found> {
  let command = root;
  const names: string[] = [];
  const args = [...given];
  for (;;) {
    const below = (await resolved(command.subCommands)) ?? {};
    if (Object.keys(below).length === 0) return { command, names, args, problem: null };
    const [name] = args;
    const next = name !== undefined && Object.hasOwn(below, name) ? below[name] : undefined;
    if (name === undefined || next === undefined) {
      return { command, names, args, problem: missing(names, name, Object.keys(below)) };
    }
    command = (await resolved(next)) ?? command;
    names.push(name);
    args.shift();
  }
}

function missing(names: readonly string[], name: string | undefined, below: readonly string[]): string {
  if (name === undefined) return `${names.join(' ')} needs one of: ${below.join(', ')}.`;
  const kind = name.startsWith('-') ? 'option' : 'command';
  const meant = kind === 'command' ? nearest(name, below) : null;
  const full = [...names, name].join(' ');
  return `There is no ${kind} ${JSON.stringify(full)}.${meant === null ? '' : ` Did you mean "${meant}"?`}`;
}

/** What is wrong with the arguments of a command, or null. */
async function problemWith(
  command: CommandDef,
  names: readonly string[],
  args: readonly string[],
): Promise<string | null> {
  const name = names.join(' ');
  const definitions = Object.entries((await resolved(command.args)) ?? {});
  const places = definitions.filter(([, { type }]) => type === 'positional');
  const own = beforeDashes(args);
  // Behind the dashes nothing is an option, but every word still takes a place.
  const behind = args.slice(own.length + 1);
  const words: string[] = [];
  for (let index = 0; index < own.length; index += 1) {
    const arg = own[index] ?? '';
    if (!arg.startsWith('-')) {
      words.push(arg);
      continue;
    }
    const [option = '', value] = arg.replace(/^--?/, '').split(/=(.*)/s);
    const definition = definitionOf(definitions, option);
    if (definition === undefined) {
      const meant = nearest(
        option,
        definitions.map(([key]) => key),
      );
      return `${name} takes no ${JSON.stringify(arg)}.${meant === null ? '' : ` Did you mean "--${meant}"?`}`;
    }
    if (definition.type === 'boolean' || value !== undefined) continue;
    index += 1;
    if (own[index] === undefined || own[index]?.startsWith('-')) return `${name} needs a value after ${arg}.`;
  }
  return misplaced(name, places, [...words, ...behind]);
}

/** Which word has no place, or which place no word. */
function misplaced(name: string, places: readonly [string, ArgDef][], words: readonly string[]): string | null {
  for (const [index, word] of words.entries()) {
    const [place] = places[index] ?? [];
    if (word === '' && place !== undefined) return `${name} needs ${place.toUpperCase()}.`;
    if (index >= places.length && !takesMany(places)) return `${name} takes no ${JSON.stringify(word)}.`;
  }
  const open = places.slice(words.length).find(([, { required }]) => required !== false);
  return open === undefined ? null : `${name} needs ${open[0].toUpperCase()}.`;
}

function takesMany(places: readonly [string, ArgDef][]): boolean {
  return places.at(-1)?.[1].valueHint === MANY;
}

function definitionOf(definitions: readonly [string, ArgDef][], option: string): ArgDef | undefined {
  for (const [key, definition] of definitions) {
    if (definition.type === 'positional') continue;
    const aliases = 'alias' in definition ? [definition.alias ?? []].flat() : [];
    const negated = definition.type === 'boolean' ? [`no-${key}`] : [];
    if ([key, ...aliases, ...negated].includes(option)) return definition;
  }
  return undefined;
}

/** How a command is used, from what it says about itself. */
export async function usageOf(command: CommandDef, names: readonly string[]): Promise<string> {
  const definitions = Object.entries((await resolved(command.args)) ?? {});
  const meta = await resolved(command.meta);
  const below = (await resolved(command.subCommands)) ?? {};
  const rows: [string, string][] = [];
  for (const [key, each] of Object.entries(below)) {
    const { description = '' } = (await resolved((await resolved(each))?.meta)) ?? {};
    rows.push([key, description]);
  }
  const places = definitions.filter(([, { type }]) => type === 'positional');
  for (const [key, definition] of [...places, ...definitions.filter(([, { type }]) => type !== 'positional')]) {
    rows.push([argumentText(key, definition), definition.description ?? '']);
  }
  const shape = [
    ...(rows.length > places.length && Object.keys(below).length === 0 ? ['[options]'] : []),
    ...(Object.keys(below).length > 0 ? [Object.keys(below).join('|')] : []),
    ...places.map(([key, { required, valueHint }]) => {
      const word = `${key.toUpperCase()}${valueHint === MANY ? MANY : ''}`;
      return required === false ? `[${word}]` : word;
    }),
  ];
  const width = Math.max(...rows.map(([key]) => key.length), 0);
  const lines = rows.map(([key, text]) => `  ${key.padEnd(width)}  ${text}`.trimEnd());
  const head = `Usage: rostra ${[...names, ...shape].join(' ')}`;
  return [
    head,
    ...(meta?.description === undefined ? [] : ['', meta.description]),
    ...(lines.length > 0 ? ['', ...lines] : []),
  ].join('\n');
}

function argumentText(key: string, { type, ...definition }: ArgDef): string {
  if (type === 'positional') return key.toUpperCase();
  if (type === 'boolean') return `--${key}`;
  const hint = 'valueHint' in definition ? definition.valueHint : undefined;
  return `--${key} ${hint ?? key.toUpperCase()}`;
}

/** Whether whoever typed this is a machine: it is told of errors in JSON too, also of how it should have typed. */
export function wantsJson(args: readonly string[]): boolean {
  return beforeDashes(args).includes('--json');
}

function beforeDashes(args: readonly string[]): readonly string[] {
  const dashes = args.indexOf('--');
  return dashes === -1 ? args : args.slice(0, dashes);
}

async function resolved<T>(value: T | Promise<T> | (() => T) | (() => Promise<T>)): Promise<T> {
  return value instanceof Function ? value() : value;
}
