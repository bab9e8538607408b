import { limits } from '@rostra/protocol/wire/limits';
import type { HostStore } from './host-store.ts';

/** How many days are kept; null keeps for ever. */
export interface RetentionPolicy {
  sessions: number | null;
  audit: number | null;
  artifacts: number | null;
}

export interface RetentionReport {
  sessions: number;
  audit: number;
  artifacts: number;
  /** Files that no row named. */
  files: number;
}

interface SweepClock {
  now(): number;
  at(at: number, wake: () => void): () => void;
}

export interface RetentionOptions {
  store: Pick<HostStore, 'sessions' | 'audit' | 'artifacts' | 'dossiers' | 'knowledge'>;
  clock: SweepClock;
  /** Read at each sweep: a reload changes it. */
  policy(): RetentionPolicy;
  /** Something was removed. */
  swept(report: RetentionReport): void;
  failed(error: unknown): void;
}

const DAY = 24 * 60 * 60_000;

/** Removes what is too old, and what deleted sessions left, in steps so small that no commit notices. */
export class Retention {
  readonly #options: RetentionOptions;
  #callOff: (() => void) | null = null;
  /** Pauses between two steps, each with how to end it now. */
  readonly #pauses = new Set<() => void>();
  #isStopped = false;
  #running: Promise<RetentionReport> | null = null;
  #purging: Promise<void> | null = null;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  /** The first sweep comes after the first pause: a host that starts has other things to do. */
  start(): void {
    this.#schedule(limits.sweep_every);
  }

  /** One sweep through everything; one that is under way is joined. */
  sweep(): Promise<RetentionReport> {
    this.#running ??= this.#sweep().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  /** What deleted sessions left, at once. */
  purge(): Promise<void> {
    this.#purging ??= this.#purge().finally(() => {
      this.#purging = null;
    });
    return this.#purging;
  }

  /** Ends between two steps. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#callOff?.();
    for (const end of this.#pauses) end();
    await Promise.all([this.#running, this.#purging].map((work) => work?.catch(() => undefined)));
  }

  #schedule(after: number): void {
    const { clock, swept, failed } = this.#options;
    if (this.#isStopped) return;
    this.#callOff = clock.at(clock.now() + after, () => {
      this.sweep()
        .then((report) => {
          if (Object.values(report).some((count) => count > 0)) swept(report);
        }, failed)
        .finally(() => this.#schedule(limits.sweep_every));
    });
  }

  async #sweep(): Promise<RetentionReport> {
    const { store, clock, policy } = this.#options;
    const report: RetentionReport = { sessions: 0, audit: 0, artifacts: 0, files: 0 };
    const { sessions, audit, artifacts } = policy();
    const before = (days: number | null) => (days === null ? null : clock.now() - days * DAY);

    const sessionsBefore = before(sessions);
    for (let cursor: number | null = sessionsBefore === null ? null : 0; cursor !== null; ) {
      const step = await store.sessions.retire(cursor, sessionsBefore ?? 0, clock.now());
      report.sessions += step.removed.length;
      cursor = await this.#goOn(step.cursor);
    }
    await this.purge();

    const auditBefore = before(audit);
    for (let more = auditBefore !== null; more; ) {
      const removed = await store.audit.sweep(auditBefore ?? 0);
      report.audit += removed;
      more = removed > 0 && (await this.#goOn(true)) === true;
    }
    // What a run received is kept as long as what it did.
    for (let more = auditBefore !== null; more; ) {
      more = (await store.dossiers.sweep(auditBefore ?? 0)) > 0 && (await this.#goOn(true)) === true;
    }
    // First what documents left: their files go next.
    while ((await store.knowledge.sweep()) && (await this.#goOn(true)));
    for (let more = true; more; ) {
      const step = await store.artifacts.sweep(clock.now(), before(artifacts) ?? 0);
      report.artifacts += step.expired;
      report.files += step.orphans;
      more = step.more && (await this.#goOn(true)) === true;
    }
    return report;
  }

  async #purge(): Promise<void> {
    while ((await this.#options.store.sessions.purge()) && (await this.#goOn(true)));
  }

  /** Lets others have the writer; null once stopped. */
  async #goOn<T>(next: T): Promise<T | null> {
    const { clock } = this.#options;
    if (this.#isStopped || next === null) return null;
    await new Promise<void>((resolve) => {
      const end = () => {
        this.#pauses.delete(end);
        callOff();
        resolve();
      };
      const callOff = clock.at(clock.now() + limits.sweep_pause, end);
      this.#pauses.add(end);
    });
    return this.#isStopped ? null : next;
  }
}
