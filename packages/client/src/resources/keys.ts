import type { KeyItem, LoginLink, MadeKey, Me } from '@rostra/protocol/run-api/key';
import type { SentBodyOf } from '@rostra/protocol/run-api/operation';
import { keyOperations } from '@rostra/protocol/run-api/operations/keys';
import type { Caller, CallOptions } from '../caller.ts';
import { eachOf } from '../pages.ts';

/** Who may use the host. */
export class Keys {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** Who asks, and what they may. */
  me(options: CallOptions = {}): Promise<Me> {
    return this.#caller.call(keyOperations.getMe, options);
  }

  list(query: { cursor?: string; limit?: number } = {}, options: CallOptions = {}) {
    return this.#caller.call(keyOperations.listKeys, { query, ...options });
  }

  /** All of them, page by page. */
  each(options: CallOptions = {}): AsyncGenerator<KeyItem, void> {
    return eachOf((page) => this.list(page, options));
  }

  /** The answer is the only place where the key itself is shown. */
  create(body: SentBodyOf<typeof keyOperations.createKey>): Promise<MadeKey> {
    return this.#caller.call(keyOperations.createKey, { body });
  }

  async revoke(keyId: string): Promise<void> {
    await this.#caller.call(keyOperations.revokeKey, { params: { keyId } });
  }

  /** A link that logs a browser in as whoever this key belongs to: once, within 15 minutes. */
  loginLink(): Promise<LoginLink> {
    return this.#caller.call(keyOperations.createLoginLink, {});
  }

  async logout(): Promise<void> {
    await this.#caller.call(keyOperations.logout, {});
  }
}
