import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { KeyScope } from '@rostra/protocol/config/entry-config';
import { REQUEST_HEADER } from '@rostra/protocol/run-api/request-header';
import type { Access } from '../access/access.ts';
import type { Principal } from '../session/session-gateway.ts';
import { isOwnPage } from './boundary.ts';
import { HttpError } from './errors.ts';

const BEARER = /^Bearer ([!-~]{1,8192})$/i;
const REQUEST = REQUEST_HEADER.toLowerCase();

export interface AuthenticatorOptions {
  readonly access: Pick<Access, 'find' | 'findAgain' | 'findLogin'>;
  /** Where the owner finds the key. */
  readonly hint: string;
  /** Where browsers find the host, when that is not where it listens. */
  readonly public_origin?: string | null;
}

const asker = Symbol('asker');

/** A request, or what there was of one, with who was proved to ask: for whoever writes down what became of it. */
type Asked<R> = R & { [asker]?: Principal };

export function askerOf(req: Asked<object>): Principal | null {
  return req[asker] ?? null;
}

/** What somebody asks for who was proved before, on a connection that stays open. */
export function askedBy<R extends object>(principal: Principal, ask: R): R {
  const asked: Asked<R> = { ...ask, [asker]: principal };
  return asked;
}

/**
 * Decides by the Authorization header who is asking, or by the cookie of a login; never by anything in a url, which
 * would end up in logs and histories, nor by anything that the request says of itself.
 */
export class Authenticator {
  readonly #options: AuthenticatorOptions;
  /** The key that each connection showed last: who shows it again there proves nothing new, and is not looked for again. */
  readonly #shown = new WeakMap<Socket, { authorization: string; principal: Principal }>();

  constructor(options: AuthenticatorOptions) {
    this.#options = options;
  }

  /**
   * Whoever asks, if they may do this; 401 without a valid credential, 403 with one for something else. Keys and logins
   * are known at once, so that nobody needs to wait; tokens take a moment.
   */
  authenticate(req: IncomingMessage, scope: KeyScope | 'any'): Principal | Promise<Principal> {
    const { authorization } = req.headers;
    if (authorization === undefined) return this.#allow(req, this.#byLogin(req), scope);
    const shown = this.#shown.get(req.socket);
    if (shown?.authorization === authorization && this.#options.access.findAgain(shown.principal)) {
      return this.#allow(req, shown.principal, scope);
    }
    const presented = BEARER.exec(authorization)?.[1];
    const found = presented === undefined ? null : this.#options.access.find(presented);
    if (found instanceof Promise) {
      return found.then((principal) => this.#allow(req, principal ?? this.#unknown('this key is not valid'), scope));
    }
    if (found === null) this.#shown.delete(req.socket);
    else this.#shown.set(req.socket, { authorization, principal: found });
    const why = presented === undefined ? 'a key is required' : 'this key is not valid';
    return this.#allow(req, found ?? this.#unknown(why), scope);
  }

  #allow(req: Asked<IncomingMessage>, principal: Principal, scope: KeyScope | 'any'): Principal {
    req[asker] = principal;
    if (scope === 'any' || principal.credential?.scopes.includes(scope) === true) return principal;
    throw new HttpError(403, 'unauthorized', 'this key may not be used for that', {
      details: { scope, hint: `Use a key that has the scope ${scope}.` },
    });
  }

  /**
   * Browsers send cookies with requests that pages of other sites make, and pages of other ports of this machine: a
   * login counts for pages of this host alone, and where something changes they must show that they could add a header.
   */
  #byLogin(req: IncomingMessage): Principal {
    const { access, public_origin = null } = this.#options;
    const principal = req.headers.cookie === undefined ? null : access.findLogin(req.headers.cookie);
    if (principal === null || !isOwnPage(req, public_origin)) throw this.#unknown('a key is required');
    if (req.method === 'GET' || req.method === 'HEAD') return principal;
    if (req.headers[REQUEST] === '1' && req.headers.origin !== undefined) return principal;
    throw new HttpError(403, 'unauthorized', 'a login alone may not change anything', {
      details: { hint: `Send the header ${REQUEST_HEADER}: 1 from a page of this host, or use a key.` },
    });
  }

  #unknown(message: string): never {
    throw new HttpError(401, 'unauthorized', message, {
      details: { hint: this.#options.hint },
      headers: { 'WWW-Authenticate': 'Bearer realm="rostra"' },
    });
  }
}
