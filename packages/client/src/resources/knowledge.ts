import type {
  KnowledgeBaseItem,
  KnowledgeBasePatch,
  KnowledgeDocument,
  KnowledgeMatch,
} from '@rostra/protocol/run-api/knowledge-api';
import type { SentBodyOf } from '@rostra/protocol/run-api/operation';
import { knowledgeOperations } from '@rostra/protocol/run-api/operations/knowledge';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { Caller, CallOptions } from '../caller.ts';
import { eachOf } from '../pages.ts';

/** What agents can look up. */
export class Knowledge {
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  list(options: CallOptions = {}) {
    return this.#caller.call(knowledgeOperations.listKnowledgeBases, options);
  }

  get(kbId: string, options: CallOptions = {}): Promise<KnowledgeBaseItem> {
    return this.#caller.call(knowledgeOperations.getKnowledgeBase, { params: { kbId }, ...options });
  }

  create(body: SentBodyOf<typeof knowledgeOperations.createKnowledgeBase>): Promise<KnowledgeBaseItem> {
    return this.#caller.call(knowledgeOperations.createKnowledgeBase, { body });
  }

  change(kbId: string, body: KnowledgeBasePatch): Promise<KnowledgeBaseItem> {
    return this.#caller.call(knowledgeOperations.changeKnowledgeBase, { params: { kbId }, body });
  }

  async delete(kbId: string): Promise<void> {
    await this.#caller.call(knowledgeOperations.deleteKnowledgeBase, { params: { kbId } });
  }

  /** Adds a document; `document` says how far it is indexed. */
  add(
    kbId: string,
    file: Blob,
    { filename, metadata, ...options }: { filename: string; metadata?: JsonObject } & CallOptions,
  ): Promise<KnowledgeDocument> {
    const body = new FormData();
    body.append('file', file, filename);
    const query = metadata === undefined ? {} : { metadata: JSON.stringify(metadata) };
    return this.#caller.call(knowledgeOperations.addDocument, { params: { kbId }, query, body, ...options });
  }

  documents(kbId: string, query: { cursor?: string; limit?: number } = {}, options: CallOptions = {}) {
    return this.#caller.call(knowledgeOperations.listDocuments, { params: { kbId }, query, ...options });
  }

  /** All of them, page by page, the newest first. */
  eachDocument(kbId: string, options: CallOptions = {}): AsyncGenerator<KnowledgeDocument, void> {
    return eachOf((page) => this.documents(kbId, page, options));
  }

  document(kbId: string, documentId: string, options: CallOptions = {}): Promise<KnowledgeDocument> {
    return this.#caller.call(knowledgeOperations.getDocument, { params: { kbId, documentId }, ...options });
  }

  async deleteDocument(kbId: string, documentId: string): Promise<void> {
    await this.#caller.call(knowledgeOperations.deleteDocument, { params: { kbId, documentId } });
  }

  /** Reads all documents anew; they are found as they were until then. */
  reindex(kbId: string): Promise<KnowledgeBaseItem> {
    return this.#caller.call(knowledgeOperations.reindexKnowledgeBase, { params: { kbId } });
  }

  /** As agents search. */
  search(
    kbId: string,
    body: SentBodyOf<typeof knowledgeOperations.searchKnowledge>,
    options: CallOptions = {},
  ): Promise<{ items: KnowledgeMatch[] }> {
    return this.#caller.call(knowledgeOperations.searchKnowledge, { params: { kbId }, body, ...options });
  }
}
