import type { KnowledgeBaseResource } from '@rostra/protocol/runner/resources';
import type { KnowledgeStore } from '../../store/ports/knowledge.ts';

export interface ShelvedBase {
  readonly kb_id: string;
  readonly name: string;
  readonly description: string;
}

/** The knowledge bases of a workspace, in memory: every grant asks for them. Whoever changes them has it read anew. */
export class KnowledgeShelf {
  readonly #knowledge: Pick<KnowledgeStore, 'bases'>;
  readonly #workspace_id: string;
  readonly #listeners = new Set<() => void>();
  #bases: readonly ShelvedBase[] = [];
  #offers: readonly KnowledgeBaseResource[] = [];
  #reading: Promise<void> = Promise.resolve();

  constructor({ knowledge, workspace_id }: { knowledge: Pick<KnowledgeStore, 'bases'>; workspace_id: string }) {
    this.#knowledge = knowledge;
    this.#workspace_id = workspace_id;
  }

  /** The same list until something changes. */
  offers(): readonly KnowledgeBaseResource[] {
    return this.#offers;
  }

  find(kb_id: string): ShelvedBase | null {
    return this.#bases.find((base) => base.kb_id === kb_id) ?? null;
  }

  /** At the start, and after a base was made, changed or deleted; one reading after the other, so that the last one counts. */
  refresh(): Promise<void> {
    const reading = this.#reading.then(() => this.#read());
    this.#reading = reading.catch(() => undefined);
    return reading;
  }

  /** Answers with how to stop listening. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #read(): Promise<void> {
    const rows = await this.#knowledge.bases(this.#workspace_id);
    const bases = rows.map(({ kb_id, name, description }) => ({ kb_id, name, description }));
    if (JSON.stringify(bases) === JSON.stringify(this.#bases)) return;
    this.#bases = bases;
    this.#offers = bases.map(({ kb_id, name }) => ({
      kb_id,
      kb_name: name,
      kb_type: 'documents',
      operations: ['list', 'retrieve'],
    }));
    for (const listener of this.#listeners) listener();
  }
}
