import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Principal } from '../session/session-gateway.ts';
import { HttpError } from './errors.ts';

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const BEARER = /^Bearer ([!-~]{1,512})$/i;

/** Decides by the Authorization header alone who is asking; a token in a url would end up in logs and histories. */
export class Authenticator {
  readonly #expected: Buffer;
  readonly #principal: Principal;
  readonly #hint: string;

  /** `hint` says where the owner finds the key. */
  constructor(key: string, principal: Principal, hint: string) {
    this.#expected = digest(key);
    this.#principal = principal;
    this.#hint = hint;
  }

  authenticate(req: IncomingMessage): Principal {
    const presented = BEARER.exec(req.headers.authorization ?? '')?.[1];
    // Digests have one length, so that the comparison takes the same time for any key.
    if (presented !== undefined && timingSafeEqual(digest(presented), this.#expected)) return this.#principal;
    const message = presented === undefined ? 'a key is required' : 'this key is not valid';
    throw new HttpError(401, 'unauthorized', message, {
      details: { hint: this.#hint },
      headers: { 'WWW-Authenticate': 'Bearer realm="rostra"' },
    });
  }
}
