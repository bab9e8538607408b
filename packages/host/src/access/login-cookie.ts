import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Holder } from './holder.ts';

/** What a cookie says: who, until when, which login of theirs it is, and by which key where that can be replaced. */
export interface Login {
  readonly credential_id: string;
  readonly expires_at: number;
  readonly login_id: string;
  readonly key_mark?: string | undefined;
}

const FORM = 1;
const MARK_CHARS = 22;
const Said = z.tuple([z.literal(FORM), z.string(), z.number(), z.string(), z.string().optional()]);

/**
 * Logins as browsers keep them: signed with a key that is made of the owner's, so that they outlive a restart and end
 * with that key. A cookie names a credential and grants what that one does when it is shown, and nothing beyond; it ends
 * when another key takes that name.
 */
export class LoginCookies {
  /** Of this host alone: browsers send the cookies of one machine to every port of it. */
  readonly name: string;
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#key = createHmac('sha256', secret).update('logins').digest();
    this.name = `rostra_${createHmac('sha256', secret).update('name of the cookie').digest('hex').slice(0, 12)}`;
  }

  seal({ credential_id, expires_at, login_id, key_mark }: Login): string {
    const all = [FORM, credential_id, expires_at, login_id, ...(key_mark === undefined ? [] : [key_mark])];
    const said = Buffer.from(JSON.stringify(all));
    return `${said.toString('base64url')}.${this.#mac(said).toString('base64url')}`;
  }

  make(holder: Holder, expires_at: number): string {
    const { id: credential_id } = holder.principal.credential;
    const login_id = randomBytes(12).toString('base64url');
    return this.seal({ credential_id, expires_at, login_id, key_mark: this.markOf(holder) });
  }

  /** Another one for another key under the same name; it tells nothing of either. */
  markOf({ key_digest }: Holder): string | undefined {
    return key_digest === undefined ? undefined : this.#mac(key_digest).toString('base64url').slice(0, MARK_CHARS);
  }

  /** Null for what this host did not seal. */
  open(value: string): Login | null {
    const [body = '', mac = ''] = value.split('.');
    const said = Buffer.from(body, 'base64url');
    const [own, given] = [this.#mac(said), Buffer.from(mac, 'base64url')];
    if (given.length !== own.length || !timingSafeEqual(given, own)) return null;
    const { success, data } = Said.safeParse(JSON.parse(said.toString()));
    if (!success) return null;
    const [, credential_id, expires_at, login_id, key_mark] = data;
    return { credential_id, expires_at, login_id, key_mark };
  }

  /** The value of this host's cookie in a Cookie header. */
  in(header: string | undefined): string | null {
    for (const part of (header ?? '').split(';')) {
      const [name, value] = part.trim().split('=', 2);
      if (name === this.name && value !== undefined) return value;
    }
    return null;
  }

  #mac(said: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(said).digest();
  }
}
