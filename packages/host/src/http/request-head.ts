import type { IncomingMessage } from 'node:http';
import { limits } from '@rostra/protocol/wire/limits';
import { HttpError } from './errors.ts';

/** A colon and a space, or the end of a line: what stands behind each name and each value. */
const SEPARATOR_BYTES = 2;

/** Whether the headers are more than the host reads. Node's own count leaves out what stands between them. */
export function hasLargeHeaders({ rawHeaders }: IncomingMessage): boolean {
  if (rawHeaders.length > 2 * limits.header_fields) return true;
  let bytes = 0;
  // Read as latin1: each character is a byte.
  for (const text of rawHeaders) bytes += text.length + SEPARATOR_BYTES;
  return bytes > limits.header_bytes;
}

export function headersTooLarge(): HttpError {
  return new HttpError(431, 'payload_too_large', 'the headers are too large', {
    details: { hint: `Send at most ${limits.header_fields} headers of ${limits.header_bytes} bytes together.` },
  });
}

export function noSuchExpectation(): HttpError {
  return new HttpError(417, 'invalid_argument', 'this expectation cannot be met', {
    details: { hint: 'Leave out the header Expect, or expect 100-continue.' },
  });
}

/** What was asked for is no path, or the host that it names is none. */
export function unreadableAddress(): HttpError {
  return new HttpError(400, 'invalid_argument', 'the address of this request cannot be read', {
    details: { hint: 'Ask for a path that begins with a slash, and name the host as its name and port.' },
  });
}

const SLASH = 47;
const WHOLE_ADDRESS = /^https?:\/\/[^/?#]+(.*)$/i;

/** The path and query that are asked for; who believes to talk to a proxy names the whole address (RFC 9112, 3.2.2). */
export function targetOf({ url = '/' }: IncomingMessage): string {
  if (url.charCodeAt(0) === SLASH) return url;
  const [, rest] = WHOLE_ADDRESS.exec(url) ?? [];
  if (rest === undefined || !URL.canParse(url)) throw unreadableAddress();
  return rest.charCodeAt(0) === SLASH ? rest : `/${rest}`;
}
