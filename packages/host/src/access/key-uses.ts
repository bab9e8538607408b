import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../session/clock.ts';
import type { RegistryStore } from '../store/ports/registry.ts';

const KIND = 'key-use';

export interface KeyUsesOptions {
  readonly registry: RegistryStore;
  readonly clock: Pick<Clock, 'now' | 'at'>;
  /** Learns that the times could not be written; they are tried again with the next ones. */
  readonly failed: (error: ApiError) => void;
}

/**
 * When each key was used last. A request costs a number in memory; what changed is written once in a while, beside the
 * keys and not in them, so that no use brings a revoked key back.
 */
export class KeyUses {
  readonly #options: KeyUsesOptions;
  readonly #used = new Map<string, number>();
  readonly #unwritten = new Set<string>();
  #callOff: (() => void) | null = null;

  private constructor(options: KeyUsesOptions) {
    this.#options = options;
  }

  static async open(options: KeyUsesOptions): Promise<KeyUses> {
    const uses = new KeyUses(options);
    for (const { key, value } of await options.registry.list(KIND)) {
      if (typeof value === 'number') uses.#used.set(key, value);
    }
    return uses;
  }

  of(credential_id: string): number | null {
    return this.#used.get(credential_id) ?? null;
  }

  note(credential_id: string): void {
    const { clock } = this.#options;
    this.#used.set(credential_id, clock.now());
    this.#unwritten.add(credential_id);
    this.#callOff ??= clock.at(clock.now() + limits.key_use_delay, () => {
      this.#callOff = null;
      void this.flush();
    });
  }

  async forget(credential_id: string): Promise<void> {
    const { registry, clock } = this.#options;
    this.#used.delete(credential_id);
    this.#unwritten.delete(credential_id);
    await registry.delete(KIND, credential_id, { at: clock.now(), by: 'host' });
  }

  /** Resolves when what was noted so far is written, or could not be. */
  async flush(): Promise<void> {
    const { registry, clock, failed } = this.#options;
    const ids = [...this.#unwritten];
    this.#unwritten.clear();
    for (const id of ids) {
      const at = this.#used.get(id);
      if (at === undefined) continue;
      try {
        await registry.put(KIND, id, at, { at: clock.now(), by: 'host' });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        this.#unwritten.add(id);
        failed(error);
      }
    }
  }

  async close(): Promise<void> {
    this.#callOff?.();
    this.#callOff = null;
    await this.flush();
  }
}
