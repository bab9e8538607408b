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
 * D1. Sent many together, none later than `limits.audit_delay`: no turn waits for it.
 * D2. What a store refuses, or what comes faster than it is written, is not kept; a run goes on without.
 * D3. What is on its way can be read already.
 */
export class DossierTrail implements RunDossiers {
  readonly #options: DossierTrailOptions;
  /** As texts: a run's context and grant are hundreds of objects, which would outlive it. */
  #waiting: DossierEntry[] = [];
  /** What is with the store is let go here: who asks for it waits until it is there. */
  readonly #sent = new Set<Promise<void>>();
  #sentEntries = 0;
  #callOff: (() => void) | null = null;
  /** Runs of which nothing was kept since that was last told. */
  #left = 0;
  readonly #texts: DossierTexts;

  constructor(options: DossierTrailOptions) {
    this.#options = options;
    this.#texts = new DossierTexts(options.conceal);
  }

  keep(told: ToldRun): void {
    if (this.#waiting.length + this.#sentEntries >= limits.dossier_queue) {
      this.#left += 1;
      return;
    }
    this.#waiting.push(this.#texts.write(told));
    if (this.#waiting.length >= limits.dossier_batch) this.#send();
    else this.#sendSoon();
  }

  async get(run_id: string): Promise<Dossier | null> {
    let entry = this.#waiting.find((each) => each.run_id === run_id) ?? null;
    if (entry === null) {
      await Promise.all(this.#sent);
      entry = await this.#options.store.get(run_id);
    }
    return entry === null ? null : this.#texts.read(entry);
  }

  async stop(): Promise<void> {
    this.#send();
    await Promise.all(this.#sent);
  }

  #sendSoon(): void {
    const { clock } = this.#options;
    this.#callOff ??= clock.at(clock.now() + limits.audit_delay, () => this.#send());
  }

  #send(): void {
    this.#callOff?.();
    this.#callOff = null;
    const batch = this.#waiting;
    if (batch.length === 0) return;
    this.#waiting = [];
    const sent = this.#append(batch).finally(() => {
      this.#sent.delete(sent);
      this.#sentEntries -= batch.length;
    });
    this.#sent.add(sent);
    this.#sentEntries += batch.length;
  }

  async #append(batch: DossierEntry[]): Promise<void> {
    const { store, failed } = this.#options;
    try {
      await store.append(batch);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      failed(error);
    }
    if (this.#left === 0) return;
    const text = `What ${this.#left} runs received was not kept: they came faster than it is written.`;
    this.#left = 0;
    failed(new ApiError('rate_limited', text));
  }
}
