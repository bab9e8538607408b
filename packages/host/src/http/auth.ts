import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type AccessKey, KeyScope } from '@rostra/protocol/config/entry-config';
import { limits } from '@rostra/protocol/wire/limits';
import type { Principal } from '../session/session-gateway.ts';
import { HttpError } from './errors.ts';

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}

const BEARER = /^Bearer ([!-~]{1,512})$/i;

interface Holder {
  readonly digest: Buffer;
  readonly principal: Principal;
  readonly scopes: readonly KeyScope[];
}

/** Which scope a path needs. What nobody thought of needs the owner, or an administrator. */
export function scopeOf(path: string): KeyScope {
  if (path.startsWith('/api/v1/agent/')) return 'runs';
  if (path === '/api/v1/events') return 'events';
  return path === '/api/v1/interactions' || path.startsWith('/api/v1/interactions/') ? 'interactions' : 'admin';
}

/** Decides by the Authorization header alone who is asking; a token in a url would end up in logs and histories. */
export class Authenticator {
  readonly #holders: readonly Holder[];
  readonly #hint: string;

  /** `hint` says where the owner finds the key. Whoever shows another key is somebody of the same workspace. */
  constructor(key: string, owner: Principal, hint: string, keys: readonly AccessKey[] = []) {
    if (keys.length > limits.access_keys) throw new Error('more keys than are compared');
    const others = keys.map(({ name, key: own, scopes }) => ({
      digest: digest(own),
      principal: {
        workspace_id: owner.workspace_id,
        user_id: `key:${name}`,
        is_admin: scopes.includes('admin'),
      },
      scopes,
    }));
    this.#holders = [
      { digest: digest(key), principal: { ...owner, is_admin: true }, scopes: KeyScope.options },
      ...others,
    ];
    this.#hint = hint;
  }

  /** Whoever shows a key that may be used for this; 401 without a valid one, 403 with one for something else. */
  authenticate(req: IncomingMessage, scope: KeyScope): Principal {
    const presented = BEARER.exec(req.headers.authorization ?? '')?.[1];
    const holder = presented === undefined ? null : this.#find(digest(presented));
    if (holder === null) throw this.#unknown(presented !== undefined);
    if (holder.scopes.includes(scope)) return holder.principal;
    throw new HttpError(403, 'unauthorized', 'this key may not be used for that', {
      details: { scope, hint: `Use a key that has the scope ${scope}.` },
    });
  }

  /** Digests have one length, and all of them are compared: the time tells nothing of any key. */
  #find(presented: Buffer): Holder | null {
    let found: Holder | null = null;
    for (const holder of this.#holders) if (timingSafeEqual(presented, holder.digest)) found = holder;
    return found;
  }

  #unknown(isPresented: boolean): HttpError {
    return new HttpError(401, 'unauthorized', isPresented ? 'this key is not valid' : 'a key is required', {
      details: { hint: this.#hint },
      headers: { 'WWW-Authenticate': 'Bearer realm="rostra"' },
    });
  }
}
