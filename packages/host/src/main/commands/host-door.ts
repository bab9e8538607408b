import { readFileSync } from 'node:fs';
import { RostraClient, RostraError } from '@rostra/client';
import { isBaseUrl } from '@rostra/client/base-url';
import { isBearerKey } from '@rostra/client/bearer-key';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { findHolder, type Holder } from '../../store/store-lock.ts';
import { ownerKeyPath } from '../owner-key.ts';
import { configOptions, readConfiguration } from './config-options.ts';

export const jsonOption = { json: { type: 'boolean', description: 'for machines' } } as const;

/** Options of every command that speaks to a host. */
export const hostOptions = {
  ...configOptions,
  url: { type: 'string', valueHint: 'URL', description: 'the host (the one that runs in the data folder)' },
  key: { type: 'string', valueHint: 'KEY', description: 'the key (the owner’s, from the data folder)' },
  ...jsonOption,
} as const;

type Args = Readonly<Record<string, unknown>>;

export interface Door {
  readonly url: string;
  readonly key: string | null;
}

/**
 * Where the host is and with what key. The owner's key is only shown to the host of its own data folder: another one
 * that is named by its address gets the key that was given for it, or none.
 */
export async function findDoor(args: Args): Promise<Door> {
  const named = namedAddress(args);
  const given = text(args.key) ?? text(process.env.ROSTRA_API_KEY);
  if (given !== null && !isBearerKey(given)) throw noKey();
  if (named !== null && given !== null) return { url: named, key: given };
  const { settings } = await readConfiguration(args);
  const holder = findHolder(settings.data);
  const address = holder?.address ?? null;
  const url = named ?? (address === null ? null : addressOf(address));
  if (url === null) throw holder === null ? notRunning(settings.data) : silent(holder);
  const key = isSameHost(url, address) ? (settings.api_key ?? ownerKey(settings.data)) : null;
  return { url, key: given ?? key };
}

/** The host that is named by its address, on the command line or in the environment; null where none is. */
export function namedAddress(args: Args): string | null {
  const named = text(args.url) ?? text(process.env.ROSTRA_URL);
  return named === null ? null : addressOf(named);
}

/** `local` is what the lock of the data folder tells. */
export function isSameHost(url: string, local: string | null): boolean {
  return local !== null && new URL(local).origin === new URL(url).origin;
}

type Work<T> = (client: RostraClient, door: Door) => Promise<T>;

/** Works with the host, and says what to do when that fails. */
export function withHost<T>(args: Args, work: Work<T>): Promise<T> {
  return atDoor(args, work, null);
}

/** The same for commands that name something: `listed` says where all that there are can be seen. */
export function withHostOf(listed: string): <T>(args: Args, work: Work<T>) => Promise<T> {
  return (args, work) => atDoor(args, work, listed);
}

async function atDoor<T>(args: Args, work: Work<T>, listed: string | null): Promise<T> {
  const door = await findDoor(args);
  const client = new RostraClient({ baseUrl: door.url, ...(door.key !== null && { key: door.key }) });
  try {
    return await work(client, door);
  } catch (error) {
    if (error instanceof RostraError) throw explained(error, door.url, listed);
    throw error;
  }
}

/** The host's refusal as every command tells one. The host speaks to programs: what a person can do is said here. */
export function explained(error: RostraError, url: string, listed: string | null = null): ApiError {
  const { status, code, message, retryable, details } = error;
  if (status === 0) {
    return new ApiError('runtime_error', `No host answers at ${url}.`, {
      retryable,
      details: { hint: 'Start one with `rostra start`, or name another with --url.' },
    });
  }
  const hint = hintFor(error, listed);
  return new ApiError(code, sentence(message), { retryable, details: hint === null ? details : { ...details, hint } });
}

/** What to do at a terminal; null where the host's own words are right there too. */
function hintFor({ status, code, details }: RostraError, listed: string | null): string | null {
  if (status === 401) return 'Give a key of this host with --key or ROSTRA_API_KEY.';
  if (code === 'not_found') return listed;
  const isOfRequest = details.in === 'body' || details.in === 'query';
  return isOfRequest ? 'The same command with --help says what it takes.' : null;
}

/** What begins with the name of a file, a field or an id stays as it is called. */
function sentence(words: string): string {
  const isWord = /^[a-z]+ /.test(words);
  const text = isWord ? `${words.charAt(0).toUpperCase()}${words.slice(1)}` : words;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function notRunning(data: string): ApiError {
  return new ApiError('not_found', `No host is running in ${data}.`, {
    details: {
      hint: 'Start one with `rostra start`, name the folder of the running one with --data, or its address with --url.',
    },
  });
}

function silent({ pid }: Holder): ApiError {
  return new ApiError('runtime_error', `The host (process ${pid}) has not told its address.`, {
    retryable: true,
    details: { hint: 'Try again in a moment, or name its address with --url.' },
  });
}

function noKey(): ApiError {
  return new ApiError('invalid_argument', 'The key that was given is no key of a host.', {
    details: { hint: 'Give it with --key or ROSTRA_API_KEY as it was shown when it was made: ASCII, without blanks.' },
  });
}

function addressOf(named: string): string {
  const full = /^https?:\/\//i.test(named) ? named : `http://${named}`;
  if (isBaseUrl(full)) return full.replace(/\/+$/, '');
  throw new ApiError('invalid_argument', `${JSON.stringify(named)} is no address of a host.`, {
    details: { hint: 'Write it like http://127.0.0.1:8787.' },
  });
}

function ownerKey(data: string): string | null {
  try {
    return readFileSync(ownerKeyPath(data), 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'EACCES')) return null;
    throw error;
  }
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
