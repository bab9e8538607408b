import type { Clock } from '../session/clock.ts';
import type { HostStore } from '../store/host-store.ts';
import { Retention, type RetentionPolicy } from '../store/retention.ts';
import type { HostLog } from './host-log.ts';

export interface StoreKeepingOptions {
  store: HostStore;
  clock: Clock;
  log: HostLog;
  /** Read at each sweep. */
  policy(): RetentionPolicy;
}

/** What a running host does for its store beside using it: a look at it after an unclean stop, and retention. */
export class StoreKeeping {
  readonly #store: HostStore;
  readonly #log: HostLog;
  readonly #retention: Retention;

  constructor({ store, clock, log, policy }: StoreKeepingOptions) {
    this.#store = store;
    this.#log = log;
    this.#retention = new Retention({
      store,
      clock,
      policy,
      swept: (report) => log.info('retention.swept', { ...report }),
      failed: (error) => log.fault('retention', error),
    });
  }

  /** Rows of deleted sessions go in the background. */
  purge(): void {
    this.#retention.purge().catch((error: unknown) => this.#log.fault('retention', error));
  }

  /** Once the host serves: neither may delay it. */
  start(): void {
    this.#retention.start();
    this.#store.inspect().then(
      ({ state, problems, damaged_sessions }) => {
        if (state === 'damaged') this.#log.error('store.damaged', { problems, damaged_sessions });
      },
      (error: unknown) => this.#log.fault('store', error),
    );
  }

  stop(): Promise<void> {
    return this.#retention.stop();
  }

  /** What keeps the host from serving: a file that is damaged as such, not a session that is. */
  missing(): string[] {
    return this.#store.health().problems.map((problem) => `a sound database (${problem})`);
  }

  /** What whoever operates the host should know although it serves. */
  notes(): string[] {
    const { state, damaged_sessions } = this.#store.health();
    if (state === 'unchecked' || state === 'checking') {
      return ['The host did not stop in order; its database is being checked.'];
    }
    return damaged_sessions.map((id) => `The log of session ${id} is damaged: it is read-only.`);
  }
}
