import type { ConfigPath } from '@rostra/protocol/config/config-problem';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import { pathText, type ValueFault } from '../config/config-error.ts';
import { valueAt } from '../config/config-tree.ts';
import { UsageError } from './commands/usage-error.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
/** Options of the command line by their names, without the dashes. */
export type Flags = Readonly<Record<string, string | undefined>>;

const KEY_CHARS_MIN = 16;
export const KEY_RULE = `must be ${KEY_CHARS_MIN} to 512 visible ASCII characters without blanks`;

/** What may stand in an Authorization header, and cannot be guessed by trying. */
export function isAccessKey(value: unknown): boolean {
  return typeof value === 'string' && value.length >= KEY_CHARS_MIN && /^[!-~]{1,512}$/.test(value);
}

/** One value that can also be given by a variable or an option, and the rule that holds wherever it comes from. */
export interface Setting {
  readonly path: ConfigPath;
  readonly variable: string | null;
  /** A secret has none: other users see the options of a process. */
  readonly flag: string | null;
  readonly must: string;
  /** The value that a text stands for; undefined when it stands for none. */
  read(text: string): Json | undefined;
  accepts(value: unknown): boolean;
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.toLowerCase();
}

/** Where a browser finds a host, not what else may have an origin. */
function isWebOrigin(text: string): boolean {
  return isOrigin(text) && /^https?:/i.test(text);
}

function isHostName(text: string): boolean {
  return URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text.toLowerCase();
}

function split(text: string): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

function isText(accepts: (text: string) => boolean): (value: unknown) => boolean {
  return (value) => typeof value === 'string' && accepts(value);
}

function isList(accepts: (text: string) => boolean): (value: unknown) => boolean {
  return (value) => Array.isArray(value) && value.every(isText(accepts));
}

const asItIs = (text: string) => text;

export const settings: readonly Setting[] = [
  {
    path: ['server', 'host'],
    variable: 'ROSTRA_HOST',
    flag: 'host',
    must: 'must be an address or a host name, like 127.0.0.1, ::1 or 0.0.0.0',
    read: asItIs,
    accepts: isText((text) => (isHostName(text) && !text.startsWith('[')) || isHostName(`[${text}]`)),
  },
  {
    path: ['server', 'port'],
    variable: 'ROSTRA_PORT',
    flag: 'port',
    must: 'must be a port number from 0 to 65535',
    read: (text) => (/^\d{1,5}$/.test(text) ? Number(text) : undefined),
    accepts: (value) => typeof value === 'number' && value <= 65_535,
  },
  {
    path: ['data', 'folder'],
    variable: 'ROSTRA_DATA',
    flag: 'data',
    must: 'must be a folder',
    read: asItIs,
    accepts: isText((text) => text !== ''),
  },
  {
    path: ['auth', 'api_key'],
    variable: 'ROSTRA_API_KEY',
    flag: null,
    must: KEY_RULE,
    read: asItIs,
    accepts: (value) => value === null || isAccessKey(value),
  },
  {
    path: ['data', 'durability'],
    variable: 'ROSTRA_DURABILITY',
    flag: 'durability',
    must: 'must be "class" (the default) or "flush"',
    read: asItIs,
    accepts: (value) => value === 'class' || value === 'flush',
  },
  {
    path: ['server', 'hosts'],
    variable: 'ROSTRA_HOSTS',
    flag: null,
    must: 'must be host names without ports, separated by commas',
    read: split,
    accepts: isList(isHostName),
  },
  {
    path: ['server', 'origins'],
    variable: 'ROSTRA_ORIGINS',
    flag: null,
    must: 'must be origins like https://app.example, separated by commas',
    read: split,
    accepts: isList(isOrigin),
  },
  {
    path: ['server', 'public_url'],
    variable: 'ROSTRA_PUBLIC_URL',
    flag: null,
    must: 'must be where browsers find the host, like https://agents.example, without a path',
    read: (text) => text.replace(/\/$/, ''),
    accepts: (value) => value === null || isText((text) => isWebOrigin(text.replace(/\/$/, '')))(value),
  },
  {
    path: ['detect'],
    variable: 'ROSTRA_DETECT',
    flag: null,
    must: 'must be "on" (the default) or "off"',
    read: (text) => ({ on: true, off: false })[text],
    accepts: (value) => typeof value === 'boolean',
  },
  {
    path: ['log', 'level'],
    variable: null,
    flag: 'log-level',
    must: 'must be "debug", "info", "warn" or "error"',
    read: asItIs,
    accepts: (value) => value === 'debug' || value === 'info' || value === 'warn' || value === 'error',
  },
];

/** A value that was given outside the file. */
export interface Override {
  readonly path: ConfigPath;
  readonly value: Json;
  readonly from: 'flag' | 'env';
  /** `ROSTRA_PORT`, `--port` */
  readonly name: string;
}

/** Options win over variables. An empty variable counts as unset; a wrong one is refused by its name. */
export function readOverrides(env: Environment, flags: Flags): Override[] {
  return settings.flatMap((setting): Override[] => {
    const { flag, variable } = setting;
    const given = flag === null ? undefined : flags[flag];
    if (flag !== null && given !== undefined) {
      const hint = 'Correct the option, or leave it out.';
      return [
        { path: setting.path, value: readOne(setting, given, `--${flag}`, hint), from: 'flag', name: `--${flag}` },
      ];
    }
    const text = variable === null ? '' : (env[variable] ?? '');
    if (variable === null || text === '') return [];
    const hint = 'Correct the variable, or unset it.';
    return [{ path: setting.path, value: readOne(setting, text, variable, hint), from: 'env', name: variable }];
  });
}

function readOne({ read, accepts, must }: Setting, text: string, name: string, hint: string): Json {
  const value = read(text);
  if (value === undefined || !accepts(value)) {
    const said = `${name} ${must}.`;
    // Words of the command line that make no sense are wrong usage, as with every other option.
    throw name.startsWith('--')
      ? new UsageError(said, hint)
      : new ApiError('invalid_argument', said, { details: { hint } });
  }
  return value;
}

/** What is wrong with the values of a file although their types are right. */
export function checkValues(config: HostConfig): ValueFault[] {
  const faults = settings
    .filter(({ path: at, accepts }) => !accepts(valueAt(config, at)))
    .map(({ path: at, must }) => ({
      path: at,
      sentence: `${pathText(at)} ${must.replace(', separated by commas', '')}.`,
    }));
  const { agents, active } = config.session;
  const twice = agents?.find((agent, index) => agents.indexOf(agent) !== index);
  if (twice !== undefined) {
    faults.push({ path: ['session', 'agents'], sentence: `session.agents names ${JSON.stringify(twice)} twice.` });
  }
  if (agents !== null && active !== null && !agents.includes(active)) {
    faults.push({ path: ['session', 'active'], sentence: 'session.active must be one of session.agents.' });
  }
  return faults;
}

/** What the start itself needs of a configuration, with paths made whole. */
export interface Settings {
  host: string;
  port: number;
  /** Whether the port was asked for: then no other one will do. */
  port_is_explicit: boolean;
  public_url: string | null;
  data: string;
  api_key: string | null;
  /** Where the owner's key comes from; null: from the data folder. */
  api_key_from: string | null;
  durability: 'class' | 'flush';
  hosts: readonly string[];
  origins: readonly string[];
}
