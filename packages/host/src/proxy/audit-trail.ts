import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { AuditEntry, AuditStore } from '../store/ports/audit.ts';

export interface AuditTrailOptions {
  readonly store: Pick<AuditStore, 'append'>;
  readonly clock: { now(): number; at(at: number, wake: () => void): () => void };
  /** Learns that rows could not be written; they are kept and tried again. */
  readonly failed: (error: ApiError) => void;
}

/**
 * The rows of the audit on their way to the store.
 *
 * T1. Rows are written in the order in which they came, many together, none later than `limits.audit_delay`.
 * T2. A store that refuses keeps nobody: rows wait, up to `limits.audit_queue`; beyond that they are counted, and a row
 *     says how many are missing.
 * T3. After `stop` everything that was added has been written, or was refused once more.
 */
export class AuditTrail {
  readonly #options: AuditTrailOptions;
  #queue: AuditEntry[] = [];
  #lost: { count: number; entry: AuditEntry } | null = null;
  #writing: Promise<void> | null = null;
  #callOff: (() => void) | null = null;

  constructor(options: AuditTrailOptions) {
    this.#options = options;
  }

  /** Rows that wait to be written. */
  get waiting(): number {
    return this.#queue.length;
  }

  add(entry: AuditEntry): void {
    if (this.#queue.length >= limits.audit_queue) {
      this.#lost = { count: (this.#lost?.count ?? 0) + 1, entry };
      return;
    }
    this.#queue.push(entry);
    if (this.#queue.length >= limits.audit_batch) void this.flush();
    else this.#flushSoon();
  }

  /** Resolves when what was added so far is written, or could not be. */
  async flush(): Promise<void> {
    this.#callOff?.();
    this.#callOff = null;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }

  async stop(): Promise<void> {
    await this.flush();
    // What came while the last rows were written.
    if (this.#queue.length > 0) await this.flush();
    this.#callOff?.();
  }

  #flushSoon(): void {
    const { clock } = this.#options;
    this.#callOff ??= clock.at(clock.now() + limits.audit_delay, () => {
      this.#callOff = null;
      void this.flush();
    });
  }

  async #write(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.slice(0, limits.audit_batch);
      try {
        await this.#options.store.append(batch);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        this.#options.failed(error);
        this.#flushSoon();
        return;
      }
      this.#queue = this.#queue.slice(batch.length);
      this.#tellLost();
    }
  }

  /** There is room again: the gap gets a row of its own. */
  #tellLost(): void {
    if (this.#lost === null) return;
    const { count, entry } = this.#lost;
    this.#lost = null;
    const { at, workspace_id } = entry;
    this.#queue.push({
      at,
      workspace_id,
      actor: 'host',
      session_id: null,
      run_id: null,
      runner_id: null,
      action: 'audit.overflow',
      resource: null,
      scope: null,
      result: 'runtime_error',
      details: { rows: count },
    });
  }
}
