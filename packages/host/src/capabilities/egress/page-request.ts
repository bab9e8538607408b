import { type IncomingMessage, request as requestHttp } from 'node:http';
import { isIPv6, type LookupFunction } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { limits } from '@rostra/protocol/wire/limits';
import type { CheckedTarget } from './egress-guard.ts';

const headers = {
  accept: 'text/html,application/xhtml+xml,application/json;q=0.9,text/*;q=0.8,*/*;q=0.1',
  'accept-encoding': 'gzip, deflate, br',
  'user-agent': 'rostra',
};

/** One request of a page, to the addresses that were checked. It brings no cookies and nobody's credentials. */
export async function requestPage({ url, addresses }: CheckedTarget, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? (await import('node:https')).request : requestHttp;
  return new Promise((resolve, reject) => {
    // No agent: a connection that is kept was checked for somebody else's name.
    const options = { agent: false, headers, lookup: pinned(addresses), maxHeaderSize: limits.header_bytes, signal };
    const sent = request(url, options, resolve);
    sent.on('error', reject);
    sent.end();
  });
}

/** A lookup that knows these addresses and asks nobody. */
function pinned(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_name, options, callback) => {
    const [first] = found;
    if (first === undefined) throw new Error('there is no address that was checked');
    if (options.all === true) callback(null, found);
    else callback(null, first.address, first.family);
  };
}

const unpackers = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

function isPacked(encoding: string): encoding is keyof typeof unpackers {
  return Object.hasOwn(unpackers, encoding);
}

/** The first bytes of what a page says, unpacked, up to a limit; the rest is never read. */
export async function readBody(page: IncomingMessage, most: number): Promise<{ bytes: Buffer; is_cut: boolean }> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of bodyOf(page)) {
    if (!Buffer.isBuffer(piece)) throw new Error('a body comes in bytes');
    pieces.push(piece.subarray(0, most - size));
    size += piece.byteLength;
    if (size > most) break;
  }
  page.destroy();
  return { bytes: Buffer.concat(pieces), is_cut: size > most };
}

function bodyOf(page: IncomingMessage): Readable {
  const encoding = (page.headers['content-encoding'] ?? '').trim().toLowerCase();
  if (!isPacked(encoding)) return page;
  const unpacked = unpackers[encoding]();
  // What breaks on the way breaks the end that is read.
  pipeline(page, unpacked, () => undefined);
  return unpacked;
}
