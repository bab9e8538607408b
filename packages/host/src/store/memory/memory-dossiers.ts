import type { InThread } from '../in-thread.ts';
import type { DossierEntry, DossierStore } from '../ports/dossier.ts';
import type { MemoryTables } from './memory-tables.ts';

export class MemoryDossiers implements InThread<DossierStore> {
  readonly #entries = new Map<string, DossierEntry>();
  readonly #runs: MemoryTables['runs'];

  constructor({ runs }: MemoryTables) {
    this.#runs = runs;
  }

  append(entries: DossierEntry[]): void {
    for (const entry of entries) {
      if (this.#runs.has(entry.run_id) && !this.#entries.has(entry.run_id)) this.#entries.set(entry.run_id, entry);
    }
  }

  get(run_id: string): DossierEntry | null {
    return this.#runs.has(run_id) ? (this.#entries.get(run_id) ?? null) : null;
  }

  sweep(before: number): number {
    const old = [...this.#entries.keys()].filter((run_id) => (this.#runs.get(run_id)?.created_at ?? 0) < before);
    for (const run_id of old) this.#entries.delete(run_id);
    return old.length;
  }
}
