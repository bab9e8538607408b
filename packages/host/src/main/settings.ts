import path from 'node:path';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isLoopback } from '../http/boundary.ts';

/** What a person can set; everything has a default. */
export interface Settings {
  host: string;
  port: number;
  /** Whether the port was asked for by name: then no other one will do. */
  port_is_explicit: boolean;
  data: string;
  api_key: string | null;
  durability: 'class' | 'flush';
  hosts: readonly string[];
  origins: readonly string[];
}

export const DEFAULT_PORT = 8787;
const KEY_CHARS_MIN = 16;

/** One variable: its value when it is unset, what it must be, and how it is read (undefined when it is not that). */
interface Variable<T> {
  readonly unset: T;
  readonly must: string;
  read(text: string): T | undefined;
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text.toLowerCase();
}

function isHostName(text: string): boolean {
  return URL.canParse(`http://${text}`) && new URL(`http://${text}`).hostname === text.toLowerCase();
}

function listOf(text: string, isItem: (item: string) => boolean): string[] | undefined {
  const items = text.split(',').map((item) => item.trim());
  const named = items.filter((item) => item !== '');
  return named.every(isItem) ? named : undefined;
}

const variables = {
  ROSTRA_HOST: {
    unset: '127.0.0.1',
    must: 'must be an address or a host name, like 127.0.0.1 or 0.0.0.0',
    read: (text) => (isHostName(text) || isHostName(`[${text}]`) ? text : undefined),
  } satisfies Variable<string>,
  ROSTRA_PORT: {
    unset: null,
    must: 'must be a port number from 0 to 65535',
    read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
  } satisfies Variable<number | null>,
  ROSTRA_DATA: { unset: '.rostra', must: 'must be a folder', read: (text) => text } satisfies Variable<string>,
  ROSTRA_API_KEY: {
    unset: null,
    must: `must be ${KEY_CHARS_MIN} to 512 visible ASCII characters without blanks`,
    read: (text) => (text.length >= KEY_CHARS_MIN && /^[!-~]{1,512}$/.test(text) ? text : undefined),
  } satisfies Variable<string | null>,
  ROSTRA_DURABILITY: {
    unset: 'class',
    must: 'must be "class" (the default) or "flush"',
    read: (text) => (text === 'class' || text === 'flush' ? text : undefined),
  } satisfies Variable<Settings['durability']>,
  ROSTRA_HOSTS: {
    unset: [],
    must: 'must be host names without ports, separated by commas',
    read: (text) => listOf(text, isHostName),
  } satisfies Variable<string[]>,
  ROSTRA_ORIGINS: {
    unset: [],
    must: 'must be origins like https://app.example, separated by commas',
    read: (text) => listOf(text, isOrigin),
  } satisfies Variable<string[]>,
};

function mistake(message: string, hint: string): ApiError {
  return new ApiError('invalid_argument', message, { details: { hint } });
}

/** Reads the environment. An empty variable counts as unset; a wrong one is refused by its name. */
export function readSettings(env: Readonly<Record<string, string | undefined>>, cwd: string): Settings {
  function get<T>(name: keyof typeof variables, { unset, must, read }: Variable<T>): T {
    const text = env[name] ?? '';
    const value = text === '' ? unset : read(text);
    if (value === undefined) throw mistake(`${name} ${must}.`, 'Correct the variable, or unset it.');
    return value;
  }
  const host = get<string>('ROSTRA_HOST', variables.ROSTRA_HOST);
  const port = get<number | null>('ROSTRA_PORT', variables.ROSTRA_PORT);
  const api_key = get<string | null>('ROSTRA_API_KEY', variables.ROSTRA_API_KEY);
  if (!isLoopback(host) && api_key === null) {
    throw mistake(
      `ROSTRA_HOST=${host} can be reached from other machines, and no ROSTRA_API_KEY is set.`,
      'Set ROSTRA_API_KEY to a long random text, or unset ROSTRA_HOST to serve this machine only.',
    );
  }
  return {
    host,
    port: port ?? DEFAULT_PORT,
    port_is_explicit: port !== null,
    data: path.resolve(cwd, get<string>('ROSTRA_DATA', variables.ROSTRA_DATA)),
    api_key,
    durability: get<Settings['durability']>('ROSTRA_DURABILITY', variables.ROSTRA_DURABILITY),
    hosts: get<string[]>('ROSTRA_HOSTS', variables.ROSTRA_HOSTS),
    origins: get<string[]>('ROSTRA_ORIGINS', variables.ROSTRA_ORIGINS),
  };
}
