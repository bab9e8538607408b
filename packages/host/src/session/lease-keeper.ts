import { limits } from '@rostra/protocol/wire/limits';
import type { SessionStore } from '../store/port.ts';
import type { Clock } from './clock.ts';

export interface KeeperOptions {
  store: Pick<SessionStore, 'renew' | 'release'>;
  clock: Clock;
  /** The id of this life of the process. */
  holder: string;
  /** Time to look after what is held; false: nothing is held any more, and the keeper sleeps. */
  look(): boolean;
  /** The lease ran out before it was renewed. Whatever was held may be another's by now. */
  lapsed(): void;
  report(event: string, details: Record<string, unknown>): void;
}

/** Keeps the leases of all sessions in memory alive: one timer and one row for the whole process (SR-TO-lease). */
export class LeaseKeeper {
  readonly #options: KeeperOptions;
  #cancel: (() => void) | null = null;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  /** Something is held from now on. */
  wake(): void {
    if (this.#cancel !== null) return;
    const { clock } = this.#options;
    this.#cancel = clock.at(clock.now() + limits.lease / 3, () => this.#tick());
  }

  #tick(): void {
    const { look, store, holder, lapsed, report } = this.#options;
    this.#cancel = null;
    if (!look()) return;
    this.wake();
    store.renew(holder, (error, result) => {
      if (error !== null) report('lease.renew_failed', { error: error.message });
      else if (result === 'lapsed') lapsed();
    });
  }

  release(session_id: string): void {
    const { store, holder, report } = this.#options;
    store.release(session_id, holder, (error) => {
      // Nobody is hurt: the lease runs out by itself.
      if (error !== null) report('lease.release_failed', { session_id, error: error.message });
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }
}
