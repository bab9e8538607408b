import type { InThread } from '../in-thread.ts';
import type { DossierEntry, DossierStore } from '../ports/dossier.ts';

export class MemoryDossiers implements InThread<DossierStore> {
  readonly #entries = new Map<string, DossierEntry>();
  readonly #isGone: (session_id: string) => boolean;

  constructor(isGone: (session_id: string) => boolean) {
    this.#isGone = isGone;
  }

  append(entries: DossierEntry[]): void {
    for (const entry of entries) {
      if (this.#entries.has(entry.run_id) || this.#isGone(entry.session_id)) continue;
      this.#entries.set(entry.run_id, entry);
    }
  }

  get(run_id: string): DossierEntry | null {
    return this.#entries.get(run_id) ?? null;
  }

  sweep(before: number): number {
    const old = [...this.#entries.values()].filter(({ at }) => at < before);
    for (const { run_id } of old) this.#entries.delete(run_id);
    return old.length;
  }

  removeSession(session_id: string): void {
    for (const entry of this.#entries.values()) {
      if (entry.session_id === session_id) this.#entries.delete(entry.run_id);
    }
  }
}
