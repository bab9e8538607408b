import type { KnowledgeDocument } from '@rostra/protocol/run-api/knowledge-api';
import type { ApiError } from '@rostra/protocol/wire/api-error';
import { v7 } from 'uuid';
import { KnowledgeDesk, type NewDocument } from '../../../../src/capabilities/knowledge/documents/knowledge-desk.ts';
import { HybridRetriever } from '../../../../src/capabilities/knowledge/hybrid-retriever.ts';
import type { Model } from '../../../../src/capabilities/models/model.ts';
import { programs } from '../../../../src/main/programs.ts';
import { SystemClock } from '../../../../src/main/system-clock.ts';
import type { HostStore } from '../../../../src/store/host-store.ts';
import { MemoryStore } from '../../../../src/store/memory/memory-store.ts';

export const owner = { workspace_id: 'local', user_id: 'owner' };

/** A model that gives vectors of the letters in a text, when it is let. */
export class LetterModel {
  readonly asked: string[][] = [];
  /** What every call waits for. */
  gate: Promise<void> = Promise.resolve();
  failure: ApiError | null = null;

  async embed(texts: readonly string[], signal: AbortSignal) {
    this.asked.push([...texts]);
    await Promise.race([this.gate, aborted(signal)]);
    signal.throwIfAborted();
    if (this.failure !== null) throw this.failure;
    const vectors = texts.map((text) => {
      const vector = new Float32Array(27);
      for (const letter of text.toLowerCase()) {
        const place = letter.charCodeAt(0) - 96;
        vector[place > 0 && place < 27 ? place : 0]! += 1;
      }
      return vector;
    });
    return { vectors, usage: null };
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** A desk over a store that outlives it. */
export class KnowledgeWorld {
  readonly store: Pick<HostStore, 'knowledge' | 'artifacts'>;
  readonly models = new Map<string, LetterModel>();
  readonly faults: unknown[] = [];
  readonly clock = new SystemClock();
  embedding: string | null = null;
  changes = 0;
  desk: KnowledgeDesk;

  constructor(store: Pick<HostStore, 'knowledge' | 'artifacts'> = new MemoryStore()) {
    this.store = store;
    this.desk = this.open();
  }

  /** As a host that starts makes it. */
  open(): KnowledgeDesk {
    const { knowledge, artifacts } = this.store;
    const models = {
      // Only vectors are asked for here.
      find: (model_id: string) => (this.models.get(model_id) as unknown as Model | undefined) ?? null,
    };
    const retriever = new HybridRetriever({
      knowledge,
      models,
      config: () => ({ rerank: null }),
      clock: this.clock,
      report: (failure) => this.faults.push(failure),
    });
    this.desk = new KnowledgeDesk({
      knowledge,
      artifacts,
      models,
      retriever,
      clock: this.clock,
      newId: v7,
      program: programs.documentWorker,
      config: () => ({ embedding: this.embedding }),
      changed: async () => {
        this.changes += 1;
      },
      failed: (error) => this.faults.push(error),
    });
    return this.desk;
  }

  add(content: Buffer | string, more: Partial<Omit<NewDocument, 'content'>> = {}): Promise<KnowledgeDocument> {
    const bytes = Buffer.from(content);
    async function* pieces() {
      for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
    }
    const file = { filename: 'notes.markdown', content_type: null, metadata: {}, ...more, content: pieces() };
    return this.desk.add(owner, 'handbook', file);
  }

  document(id: string): Promise<KnowledgeDocument> {
    return this.desk.document(owner, 'handbook', id);
  }

  async found(query: string): Promise<string[]> {
    const search = { query, topK: 5, filters: {} };
    const items = await this.desk.search(owner, 'handbook', search, new AbortController().signal);
    return items.map(({ content }) => content);
  }
}
