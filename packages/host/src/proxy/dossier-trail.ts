import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { RunDossiers, ToldRun } from '../orchestrator/run-dossier.ts';
import type { DossierEntry, DossierStore } from '../store/ports/dossier.ts';
import { type Dossier, DossierTexts } from './dossier-texts.ts';

export interface DossierTrailOptions {
  readonly store: Pick<DossierStore, 'append' | 'get'>;
  readonly clock: { now(): number; at(at: number, wake: () => void): () => void };
  /** A runner's configuration without its secrets: they do not belong beside the conversation. */
  readonly conceal: (config: JsonObject) => JsonObject;
  readonly failed: (error: ApiError) => void;
}

/**
 * What runs receive, on its way to the store.
 *
 * D1. Written many together, none later than `limits.audit_delay`: no turn waits for it.
 * D2. What a store refuses, or what comes faster than it is written, is not kept; a run goes on without.
 * D3. What is on its way can be read already.
 */
export class DossierTrail implements RunDossiers {
  readonly #options: DossierTrailOptions;
  /** As texts: a run's context and grant are hundreds of objects, which would outlive it. */
  #waiting: DossierEntry[] = [];
  #callOff: (() => void) | null = null;
  /** Runs of which nothing was kept since that was last told. */
  #left = 0;
  #writing: Promise<void> | null = null;
  readonly #texts: DossierTexts;

  constructor(options: DossierTrailOptions) {
    this.#options = options;
    this.#texts = new DossierTexts(options.conceal);
  }

  keep(told: ToldRun): void {
    if (this.#waiting.length >= limits.dossier_queue) {
      this.#left += 1;
      return;
    }
    this.#waiting.push(this.#texts.write(told));
    if (this.#waiting.length >= limits.dossier_batch) void this.#flush();
    else this.#flushSoon();
  }

  async get(run_id: string): Promise<Dossier | null> {
    const waiting = this.#waiting.find((entry) => entry.run_id === run_id);
    const entry = waiting ?? (await this.#options.store.get(run_id));
    return entry === null ? null : this.#texts.read(entry);
  }

  async stop(): Promise<void> {
    await this.#flush();
    // What came while the last ones were written.
    if (this.#waiting.length > 0) await this.#flush();
    this.#callOff?.();
  }

  #flushSoon(): void {
    const { clock } = this.#options;
    this.#callOff ??= clock.at(clock.now() + limits.audit_delay, () => void this.#flush());
  }

  async #flush(): Promise<void> {
    this.#callOff?.();
    this.#callOff = null;
    this.#writing ??= this.#write().finally(() => {
      this.#writing = null;
    });
    await this.#writing;
  }

  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, limits.dossier_batch);
      try {
        await this.#options.store.append(batch);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        this.#options.failed(error);
      }
      this.#waiting = this.#waiting.slice(batch.length);
    }
    if (this.#left === 0) return;
    const text = `What ${this.#left} runs received was not kept: they came faster than it is written.`;
    this.#left = 0;
    this.#options.failed(new ApiError('rate_limited', text));
  }
}
