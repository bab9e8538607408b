import { randomBytes } from 'node:crypto';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../session/clock.ts';
import type { Login } from '../session/session-gateway.ts';
import type { RegistryStore } from '../store/ports/registry.ts';
import { digestOf, type Holder } from './holder.ts';
import { LoginCookies } from './login-cookie.ts';

const KIND = 'logout';

export interface LoginDeskOptions {
  /** The host's own secret, of which the key of the cookies is made. */
  readonly secret: string;
  readonly registry: RegistryStore;
  readonly clock: Pick<Clock, 'now'>;
  /** Who has a credential now. */
  readonly holder: (credential_id: string) => Holder | null;
  /** Learns of a login that ends before its time, by its id as principals have it. */
  readonly ended: (id: Login['id']) => void;
}

const idPrefix = 'login:';

interface Link {
  readonly credential_id: string;
  readonly expires_at: number;
}

/** How browsers come to act for somebody: by a link that works once, which leaves a cookie. */
export class LoginDesk {
  readonly cookies: LoginCookies;
  readonly #options: LoginDeskOptions;
  readonly #links = new Map<string, Link>();
  /** Logins that ended before their time, until when they would have lasted. */
  readonly #ended = new Map<string, number>();

  private constructor(options: LoginDeskOptions) {
    this.#options = options;
    this.cookies = new LoginCookies(options.secret);
  }

  static async open(options: LoginDeskOptions): Promise<LoginDesk> {
    const desk = new LoginDesk(options);
    const { registry, clock } = options;
    for (const { key, value } of await registry.list(KIND)) {
      const now = clock.now();
      if (typeof value === 'number' && value > now) desk.#ended.set(key, value);
      else await registry.delete(KIND, key, { at: now, by: 'host' });
    }
    return desk;
  }

  /** The code of a link that logs in whoever has this credential. */
  link(credential_id: string): { code: string; expires_at: number } {
    const expires_at = this.#options.clock.now() + limits.login_link;
    const code = randomBytes(32).toString('base64url');
    if (this.#links.size >= limits.login_links) this.#makeRoom();
    this.#links.set(keyOf(code), { credential_id, expires_at });
    return { code, expires_at };
  }

  /** What the browser is given for a code, and whose login it is; null when it was used, is over or never was. */
  redeem(code: string): { value: string; holder: Holder } | null {
    const key = keyOf(code);
    const link = this.#links.get(key);
    this.#links.delete(key);
    const { clock } = this.#options;
    if (link === undefined || link.expires_at <= clock.now()) return null;
    const holder = this.#options.holder(link.credential_id);
    if (holder === null) return null;
    return { value: this.cookies.make(holder, clock.now() + limits.login), holder };
  }

  /** Who a Cookie header proves to ask: null without a login, or with one that is over. */
  find(header: string | undefined): Holder | null {
    const value = this.cookies.in(header);
    const login = value === null ? null : this.cookies.open(value);
    if (login === null) return null;
    const { expires_at } = login;
    const shown = { id: `${idPrefix}${login.login_id}`, expires_at };
    const holder = this.isOver(shown) ? null : this.#options.holder(login.credential_id);
    if (holder === null || this.cookies.markOf(holder) !== login.key_mark) return null;
    return { principal: { ...holder.principal, login: shown }, expires_at };
  }

  /** Whether a login proves nothing any more, whatever becomes of its credential. */
  isOver({ id, expires_at }: Login): boolean {
    return expires_at <= this.#options.clock.now() || this.#ended.has(id.slice(idPrefix.length));
  }

  /** The login ends here, also for whoever kept its cookie. */
  async logOut(header: string | undefined): Promise<void> {
    const value = this.cookies.in(header);
    const login = value === null ? null : this.cookies.open(value);
    if (login === null) return;
    const { registry, clock } = this.#options;
    this.#ended.set(login.login_id, login.expires_at);
    this.#options.ended(`${idPrefix}${login.login_id}`);
    await registry.put(KIND, login.login_id, login.expires_at, { at: clock.now(), by: login.credential_id });
  }

  /** Whoever has the most links loses the oldest of them: nobody pushes out those of others. */
  #makeRoom(): void {
    const codes = new Map<string, string[]>();
    for (const [code, { credential_id }] of this.#links) {
      codes.set(credential_id, [...(codes.get(credential_id) ?? []), code]);
    }
    const [most = []] = [...codes.values()].toSorted((a, b) => b.length - a.length);
    for (const code of most.slice(0, 1)) this.#links.delete(code);
  }
}

/** Links are looked up by a digest: how long that takes says nothing of any code. */
function keyOf(code: string): string {
  return digestOf(code).toString('base64');
}
