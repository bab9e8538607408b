import type { IncomingMessage } from 'node:http';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { CheckedTarget, EgressGuard } from './egress-guard.ts';
import { readBody, requestPage } from './page-request.ts';

export interface WebReaderOptions {
  readonly guard: Pick<EgressGuard, 'check'>;
  readonly clock: { now(): number; at(at: number, wake: () => void): () => void };
}

/** What a page said. */
export interface WebPage {
  /** Where it was found in the end. */
  readonly url: string;
  readonly status: number;
  /** As it was sent; empty when it was not. */
  readonly content_type: string;
  readonly bytes: Buffer;
  /** There is more than was read. */
  readonly is_cut: boolean;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Reads public pages. Each hop of a redirect is checked like the first; all together have one limit of time. */
export class WebReader {
  readonly #options: WebReaderOptions;

  constructor(options: WebReaderOptions) {
    this.#options = options;
  }

  async read(address: string, signal: AbortSignal): Promise<WebPage> {
    signal.throwIfAborted();
    const { clock } = this.#options;
    const late = new AbortController();
    const callOff = clock.at(clock.now() + limits.fetch, () => late.abort(tooLate()));
    const ending = AbortSignal.any([signal, late.signal]);
    try {
      return await unlessAborted(this.#follow(address, ending), ending);
    } catch (error) {
      if (ending.aborted) throw ending.reason;
      throw error instanceof ApiError ? error : failed(error);
    } finally {
      callOff();
    }
  }

  async #follow(address: string, signal: AbortSignal): Promise<WebPage> {
    const { guard } = this.#options;
    let target = await guard.check(address);
    for (let hops = 0; ; hops += 1) {
      // A name may be looked up for longer than anybody waits: nothing is asked for then.
      signal.throwIfAborted();
      const page = await requestPage(target, signal);
      const next = redirectOf(page);
      if (next === null) return pageOf(target, page);
      page.destroy();
      if (hops === limits.fetch_redirects) throw wandering();
      target = await guard.check(next, target.url);
    }
  }
}

function redirectOf({ statusCode = 0, headers }: IncomingMessage): string | null {
  return redirects.has(statusCode) ? (headers.location ?? null) : null;
}

async function pageOf({ url }: CheckedTarget, page: IncomingMessage): Promise<WebPage> {
  const body = await readBody(page, limits.fetch_bytes);
  return { url: url.href, status: page.statusCode ?? 0, content_type: page.headers['content-type'] ?? '', ...body };
}

/** A lookup of a name cannot be called off: then nobody waits for it. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => reject(signal.reason);
    signal.addEventListener('abort', end, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end));
  });
}

function tooLate(): ApiError {
  return new ApiError('deadline_exceeded', `The page was not read within ${limits.fetch / 1000} seconds.`, {
    retryable: true,
    details: { reason: 'TOOL_TIMEOUT' },
  });
}

function wandering(): ApiError {
  const message = `The address sends its reader on more than ${limits.fetch_redirects} times.`;
  return new ApiError('runtime_error', message, { details: { reason: 'TOOL_FAILED' } });
}

/** What the network said is one short word; anything else is a bug. */
function failed(error: unknown): ApiError {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') throw error;
  return new ApiError('runtime_error', `The page could not be read (${error.code}).`, {
    retryable: true,
    details: { reason: 'TOOL_FAILED' },
  });
}
