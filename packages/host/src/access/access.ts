import type { AccessKey } from '@rostra/protocol/config/entry-config';
import type { KeyItem, MadeKey, NewKey } from '@rostra/protocol/run-api/key';
import type { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../session/clock.ts';
import type { Principal } from '../session/session-gateway.ts';
import type { RegistryStore } from '../store/ports/registry.ts';
import { RecentMap } from '../store/recent-map.ts';
import { type CredentialListener, CredentialWatch } from './credential-watch.ts';
import { type Holder, OWNER_CREDENTIAL } from './holder.ts';
import { KeyRing } from './key-ring.ts';
import { KeyUses } from './key-uses.ts';
import { LoginDesk } from './login-desk.ts';
import { RunMeter } from './run-meter.ts';
import { type Release, StreamCount } from './stream-count.ts';
import { isToken, type TokenVerifier } from './token-verifier.ts';

export interface AccessOptions {
  /** The owner's key, and who the owner is. */
  readonly key: string;
  readonly owner: Principal;
  /** Keys of the configuration file. */
  readonly configured?: readonly AccessKey[];
  readonly tokens?: TokenVerifier | null;
  readonly registry: RegistryStore;
  readonly clock: Clock;
  readonly failed: (error: ApiError) => void;
}

/** Who may use this host, and how much of it at a time. */
export class Access {
  readonly streams = new StreamCount();
  readonly logins: LoginDesk;
  readonly #runs = new RunMeter();
  readonly #ring: KeyRing;
  readonly #uses: KeyUses;
  readonly #watch: CredentialWatch;
  readonly #tokens: TokenVerifier | null;
  readonly #clock: Clock;
  /** Until when the tokens last shown by each user are valid: their streams last as long. */
  readonly #shown = new RecentMap<number>(limits.token_users);

  private constructor(
    { tokens, clock }: AccessOptions,
    parts: { ring: KeyRing; uses: KeyUses; logins: LoginDesk; watch: CredentialWatch },
  ) {
    this.#tokens = tokens ?? null;
    this.#clock = clock;
    this.#ring = parts.ring;
    this.#uses = parts.uses;
    this.logins = parts.logins;
    this.#watch = parts.watch;
  }

  static async open(options: AccessOptions): Promise<Access> {
    const { registry, clock, failed, key, owner, configured = [] } = options;
    const uses = await KeyUses.open({ registry, clock, failed });
    const ring = await KeyRing.open({ key, owner, configured, registry, clock, uses });
    const holder = (id: string) => ring.holder(id);
    const watch = new CredentialWatch(clock);
    const ended = (login_id: string) => watch.tell(login_id);
    const logins = await LoginDesk.open({ secret: key, registry, clock, holder, ended });
    for (const { credential_id, at } of ring.ends()) watch.expectEnd(credential_id, at);
    return new Access(options, { ring, uses, logins, watch });
  }

  /** Who shows this key or token; null when it proves nothing. At once for keys, later for tokens. */
  find(presented: string): Principal | null | Promise<Principal | null> {
    const holder = this.#ring.find(presented);
    if (holder !== null) return this.#noted(holder);
    if (this.#tokens === null || !isToken(presented)) return null;
    return this.#tokens.find(presented).then((user) => (user === null ? null : this.#tokenShown(user)));
  }

  /** Whether the key that proved them to ask proves it still; that is a use of it like any other. */
  findAgain(principal: Principal): boolean {
    const holder = principal.credential === undefined ? null : this.#ring.holder(principal.credential.id);
    if (holder === null || holder.principal !== principal) return false;
    this.#noted(holder);
    return true;
  }

  /** Who a Cookie header proves to ask. */
  findLogin(header: string | undefined): Principal | null {
    const holder = this.logins.find(header);
    return holder === null ? null : this.#noted(holder);
  }

  /** Counts one run of whoever asks; refuses it beyond their rate. Nothing is waited for where none is set. */
  checkRun(principal: Principal): void | Promise<void> {
    return this.#runs.check(principal);
  }

  /** Whether somebody who was proved by it may still be served. */
  isValid(credential_id: string): boolean {
    if (credential_id === OWNER_CREDENTIAL || this.#ring.holder(credential_id) !== null) return true;
    return (this.#shown.get(credential_id) ?? 0) > this.#clock.now();
  }

  /** Whether what proved somebody to ask still does: their credential, and the login of a browser if it was one. */
  isProved({ credential, login }: Principal): boolean {
    if (login !== undefined && this.logins.isOver(login)) return false;
    return credential === undefined || this.isValid(credential.id);
  }

  /** Takes one of the streams of whoever asks; `cut` is called when what proved them to ask has ended before that. */
  openStream(principal: Principal, cut: () => void): Release {
    const { credential, login } = principal;
    const release = this.streams.open(principal);
    if (login !== undefined) this.#watch.expectEnd(login.id, login.expires_at);
    const unwatch = this.watch((ended) => {
      if (ended === credential?.id || ended === login?.id) cut();
    });
    return () => {
      unwatch();
      release();
    };
  }

  /** Tells of every credential and login that is not valid any more, as soon as it is so; returns how to stop that. */
  watch(listener: CredentialListener): () => void {
    return this.#watch.watch(listener);
  }

  listKeys(): KeyItem[] {
    return this.#ring.list();
  }

  async createKey(wanted: NewKey, by: Principal): Promise<MadeKey> {
    const made = await this.#ring.create(wanted, by);
    if (made.expiresAt !== null) this.#watch.expectEnd(`key:${made.id}`, Date.parse(made.expiresAt));
    return made;
  }

  async revokeKey(id: string, by: Principal): Promise<void> {
    this.#watch.tell(this.#ring.end(id));
    await this.#ring.remove(id, by);
  }

  /** When keys were used last is in the store then. */
  async close(): Promise<void> {
    this.#watch.close();
    await this.#uses.close();
  }

  #noted({ principal }: Holder): Principal {
    if (principal.credential.id !== OWNER_CREDENTIAL) this.#uses.note(principal.credential.id);
    return principal;
  }

  #tokenShown({ principal, expires_at }: Holder): Principal {
    const { id } = principal.credential;
    const until = Math.max(expires_at ?? 0, this.#shown.get(id) ?? 0);
    this.#shown.set(id, until);
    this.#watch.expectEnd(id, until);
    return principal;
  }
}
