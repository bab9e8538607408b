import type { JsonObject } from '@rostra/protocol/wire/json';

/** Some text that answers a question, and where it stands. */
export interface FoundChunk {
  readonly chunk_id: string;
  readonly content: string;
  readonly score: number;
  /** How a person finds it: the document's name, and the page or heading. */
  readonly source: string;
  /** `document_id`, `document_name`, `page`, `heading`, `position`, and the document's own metadata. */
  readonly metadata: JsonObject;
}

export interface KnowledgeQuery {
  readonly kb_id: string;
  readonly query_text: string;
  readonly top_k: number;
  /** By metadata of documents; `document_id` and `document_name` are understood, too. */
  readonly filters: JsonObject;
}

/** What retrieval is to those who serve it. */
export interface Retriever {
  retrieve(query: KnowledgeQuery, signal: AbortSignal): Promise<FoundChunk[]>;
}
