import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { REQUEST_HEADER } from '@rostra/protocol/run-api/request-header';
import { HttpError } from './errors.ts';

export interface BoundaryOptions {
  /** The address that the server binds. */
  bind: string;
  /** Further host names and origins that its owner allows (ROSTRA_HOSTS, ROSTRA_ORIGINS). */
  hosts: readonly string[];
  origins: readonly string[];
}

const METHODS = 'GET, HEAD, POST, PATCH, DELETE, OPTIONS';
const HEADERS = [
  'authorization',
  'content-type',
  'accept',
  'last-event-id',
  'if-match',
  'if-none-match',
  'range',
  'x-timezone',
  REQUEST_HEADER.toLowerCase(),
].join(', ');
const EXPOSED = 'location, content-location, retry-after, etag, content-range, accept-ranges, content-disposition';
const PREFLIGHT_SECONDS = '600';

function nameOf(host: string): string | null {
  try {
    const url = new URL(`http://${host}`);
    return url.pathname === '/' && url.username === '' && url.search === '' ? url.hostname.toLowerCase() : null;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

export function isLoopback(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || name === '::1' || /^127(\.\d{1,3}){3}$/.test(name);
}

function isAddress(name: string): boolean {
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

function originUrl(origin: string): URL | null {
  try {
    const url = new URL(origin);
    return url.origin === origin.toLowerCase() ? url : null;
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/**
 * Whether a request comes from a page of this host, or from no page at all. A browser names the origin of every request
 * that crosses one or changes something, and says of the others how far they come.
 */
export function isOwnPage({ headers }: IncomingMessage, public_origin: string | null): boolean {
  const { origin, host = '' } = headers;
  if (origin !== undefined) {
    return origin === public_origin || originUrl(origin)?.host === host.toLowerCase();
  }
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** What a browser can be tricked into: names that rebind to this machine, and pages of other sites. */
export class Boundary {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #isLocal: boolean;
  #served: string | null = null;

  constructor({ bind, hosts, origins }: BoundaryOptions) {
    this.#hosts = new Set([bind, ...hosts].map((host) => host.toLowerCase()));
    this.#origins = new Set(origins.map((origin) => origin.toLowerCase()));
    this.#isLocal = isLoopback(bind);
  }

  /** Throws a 403, or answers a preflight and returns true. */
  check(req: IncomingMessage, res: ServerResponse): boolean {
    this.admit(req);
    const { origin } = req.headers;
    if (origin === undefined) return false;
    res.setHeader('Access-Control-Allow-Origin', origin);
    res.setHeader('Vary', 'Origin');
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      res.setHeader('Access-Control-Expose-Headers', EXPOSED);
      return false;
    }
    res.writeHead(204, {
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': HEADERS,
      'Access-Control-Max-Age': PREFLIGHT_SECONDS,
    });
    res.end();
    return true;
  }

  /** Throws a 400 without a host name, a 403 for a host name that is not served, or a page that may not use this host. */
  admit({ headers: { host = '', origin } }: IncomingMessage): void {
    this.#checkHost(host);
    if (origin !== undefined) this.#checkOrigin(origin, host);
  }

  #checkHost(host: string): void {
    // The same host over and over: what was decided of its name holds.
    if (host === this.#served) return;
    if (host === '') {
      throw new HttpError(400, 'invalid_argument', 'the request does not say for which host it is', {
        details: { hint: 'Send the header Host.' },
      });
    }
    const name = nameOf(host);
    if (name !== null) {
      // An address in `Host` cannot be rebound; a loopback server has no business with other addresses, though.
      if (isLoopback(name) || this.#hosts.has(name) || (!this.#isLocal && isAddress(name))) {
        this.#served = host;
        return;
      }
    }
    throw new HttpError(403, 'unauthorized', 'this host name is not served here', {
      details: { hint: 'Name it in ROSTRA_HOSTS, or use the address that the host printed when it started.' },
    });
  }

  #checkOrigin(origin: string, host: string): void {
    const url = originUrl(origin);
    // On a machine of one's own, what its pages may do is decided by who has a key.
    if (url !== null && ((this.#isLocal && isLoopback(url.hostname)) || url.host === host.toLowerCase())) return;
    if (this.#origins.has(origin.toLowerCase())) return;
    throw new HttpError(403, 'unauthorized', 'pages of this origin may not use this host', {
      details: { hint: 'Name the origin in ROSTRA_ORIGINS to allow it.' },
    });
  }
}
