import { isIP } from 'node:net';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { isPublicAddress } from './address.ts';

export interface EgressGuardOptions {
  /** All addresses of a name; asked once for every connection that is made. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  readonly isAllowed?: (address: string) => boolean;
  readonly ports?: readonly number[];
}

/** Where a request may go: to these very addresses, whatever the name means a moment later. */
export interface CheckedTarget {
  readonly url: URL;
  readonly addresses: readonly string[];
}

const schemes: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };

/**
 * Decides where the host goes when somebody else says where.
 *
 * E1. Only http and https, their own ports, no user in the url, and no name that ends in a dot.
 * E2. Every address of a name is of the public internet, or none of them is used.
 * E3. Whoever goes there connects to the addresses that were checked and asks no resolver again.
 */
export class EgressGuard {
  readonly #resolve: (name: string) => Promise<readonly string[]>;
  readonly #isAllowed: (address: string) => boolean;
  readonly #ports: readonly number[];

  constructor({ resolve = systemResolve, isAllowed = isPublicAddress, ports = [80, 443] }: EgressGuardOptions = {}) {
    this.#resolve = resolve;
    this.#isAllowed = isAllowed;
    this.#ports = ports;
  }

  /** Throws an ApiError for what nobody may go to. `base` is where a redirect came from. */
  async check(address: string, base?: URL): Promise<CheckedTarget> {
    const url = this.#urlOf(address, base);
    // The parser has made one form of all the ways to write an address of IPv4.
    const name = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
    const addresses = isIP(name) === 0 ? await this.#lookUp(name) : [name];
    if (!addresses.every((each) => this.#isAllowed(each))) {
      throw refused('The address is not one of the public internet.');
    }
    return { url, addresses };
  }

  #urlOf(address: string, base: URL | undefined): URL {
    const url = address.length > limits.fetch_url_chars ? null : parsed(address, base);
    if (url === null) throw refused('This is no address of a page.');
    const port = schemes[url.protocol];
    if (port === undefined) throw refused('Only addresses with http and https are read.');
    if (url.username !== '' || url.password !== '') throw refused('The address names a user.');
    if (!this.#ports.includes(url.port === '' ? port : Number(url.port))) {
      throw refused('Only the usual ports of http and https are read.');
    }
    if (url.hostname.endsWith('.')) throw refused('The name of the host ends in a dot.');
    return url;
  }

  async #lookUp(name: string): Promise<readonly string[]> {
    const addresses = await this.#resolve(name);
    if (addresses.length === 0) throw noHost();
    return addresses;
  }
}

function parsed(address: string, base: URL | undefined): URL | null {
  return URL.canParse(address, base?.href) ? new URL(address, base?.href) : null;
}

async function systemResolve(name: string): Promise<readonly string[]> {
  try {
    const { lookup } = await import('node:dns/promises');
    return (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address);
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw noHost();
    throw error;
  }
}

function refused(message: string): ApiError {
  const hint = 'Give the address of a public page.';
  return new ApiError('invalid_argument', message, { details: { reason: 'ADDRESS_REFUSED', hint } });
}

function noHost(): ApiError {
  return new ApiError('runtime_error', 'The host of this address was not found.', {
    details: { reason: 'TOOL_FAILED' },
  });
}
