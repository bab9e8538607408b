import { readFile } from 'node:fs/promises';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { FetchImplementation, JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import type { Clock } from '../session/clock.ts';

/** Where the keys are that prove tokens. */
export interface KeySetSource {
  open(): Promise<JWTVerifyGetKey>;
}

/** A file of the owner's, read once. */
export class FileKeySet implements KeySetSource {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  async open(): Promise<JWTVerifyGetKey> {
    const { createLocalJWKSet } = await import('jose');
    const set: JSONWebKeySet = JSON.parse(await readFile(this.#path, 'utf8'));
    return createLocalJWKSet(set);
  }
}

function unreadable(message: string): ApiError {
  return new ApiError('runtime_error', message, { retryable: true });
}

/**
 * The one address that the owner told this host to ask. Whatever a token says, it is asked no more often than once in
 * `limits.jwks_cooldown`, waited for no longer than `limits.jwks_fetch`, and not followed elsewhere.
 */
export class RemoteKeySet implements KeySetSource {
  readonly #url: URL;
  readonly #clock: Pick<Clock, 'now'>;
  #failed: number | null = null;

  constructor(url: URL, clock: Pick<Clock, 'now'>) {
    this.#url = url;
    this.#clock = clock;
  }

  async open(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    return createRemoteJWKSet(this.#url, {
      timeoutDuration: limits.jwks_fetch,
      cooldownDuration: limits.jwks_cooldown,
      cacheMaxAge: limits.jwks_age,
      [customFetch]: this.#fetch,
    });
  }

  readonly #fetch: FetchImplementation = async (url, options) => {
    const now = this.#clock.now();
    if (this.#failed !== null && now < this.#failed + limits.jwks_cooldown) {
      throw unreadable(`${url} could not be read a moment ago, and is asked again later`);
    }
    this.#failed = now;
    const answer = await fetch(url, options);
    if (answer.status !== 200) throw unreadable(`${url} answers with ${answer.status}`);
    const text = await boundedText(answer);
    if (!isKeySet(text)) throw unreadable(`${url} answers with something else than keys`);
    this.#failed = null;
    return new Response(text, { status: 200 });
  };
}

function isKeySet(text: string): boolean {
  try {
    const set: unknown = JSON.parse(text);
    return typeof set === 'object' && set !== null && 'keys' in set && Array.isArray(set.keys);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

async function boundedText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    size += chunk.length;
    if (size > limits.jwks_bytes) throw unreadable(`${answer.url} has more than ${limits.jwks_bytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
