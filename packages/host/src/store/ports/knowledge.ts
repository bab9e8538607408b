import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { StoreError } from '../refusal.ts';
import type { PageRequest } from './page.ts';

export interface KnowledgeBaseRow {
  kb_id: string;
  workspace_id: string;
  name: string;
  description: string;
  /** The model whose vectors its chunks have; null: none have any. */
  embedding_model: string | null;
  created_at: number;
  updated_at: number;
}

/** What people may change of a base; the model of its vectors changes by `publishBase` only. */
export type BaseChange = Pick<KnowledgeBaseRow, 'name' | 'description' | 'updated_at'>;

export interface KnowledgeCounts {
  documents: number;
  /** Chunks that can be found. */
  chunks: number;
}

/** `ready`: can be found as it is. `indexing` and `failed` may still be found as they were before. */
export type DocumentStatus = 'waiting' | 'indexing' | 'ready' | 'failed';

export interface DocumentRow {
  document_id: string;
  kb_id: string;
  name: string;
  mime_type: string;
  size_bytes: number;
  sha256: string;
  /** Where the file itself is kept. */
  artifact_id: string;
  metadata: JsonObject;
  status: DocumentStatus;
  /** Why it failed, for a person; null otherwise. */
  problem: { reason: string; message: string; hint: string | null } | null;
  /** Chunks of the pass that is under way: done and in all; both 0 before they are known. */
  done: number;
  total: number;
  /** The pass whose chunks are found; 0: none yet. */
  generation: number;
  /** How many those are. */
  chunks: number;
  created_at: number;
  updated_at: number;
}

/** What may change of a document by a word; what of it can be found changes by `publish` only. */
export type DocumentChange = Partial<
  Pick<DocumentRow, 'name' | 'metadata' | 'status' | 'problem' | 'done' | 'total'>
> & { updated_at: number };

/** A pass over a document, all of whose chunks are written. */
export interface DocumentPass {
  readonly document_id: string;
  readonly generation: number;
}

export interface NewChunk {
  /** From 0 on; each once in a pass. */
  position: number;
  content: string;
  page: number | null;
  /** The headings above it, joined by ` › `. */
  heading: string | null;
  /** Of the model that the pass was begun with. */
  embedding: Float32Array | null;
}

/** Which chunks of a base are looked at. */
export interface ChunkFilter {
  readonly kb_id: string;
  /** Only chunks of documents with all of these values (strings, numbers, booleans) in their metadata. */
  readonly metadata: JsonObject;
  readonly document_ids?: readonly string[];
  readonly document_names?: readonly string[];
}

export interface ChunkSearch {
  readonly filter: ChunkFilter;
  /** To be found by words, or pairs of characters where there are none. */
  readonly words: string | null;
  /** To be found by the angle between vectors: only passes that were begun with that model have such. */
  readonly vector: { readonly model_id: string; readonly values: Float32Array } | null;
  /** How many of each. */
  readonly limit: number;
}

/** The better the match, the higher its score; scores of words and of vectors are of no common measure. */
export interface ChunkMatch {
  chunk_id: string;
  score: number;
}

export interface ChunkRow {
  chunk_id: string;
  position: number;
  content: string;
  page: number | null;
  heading: string | null;
  document_id: string;
  document_name: string;
  /** Of its document. */
  metadata: JsonObject;
}

/** Matches, best first, and every chunk that one of them names, once. */
export interface ChunkFindings {
  words: ChunkMatch[];
  vectors: ChunkMatch[];
  chunks: ChunkRow[];
}

/**
 * Documents and what of them can be found. A pass over a document writes its chunks under a generation of its own, which
 * nobody sees until `publish` makes it the document's in one step; what is not found any more is removed by `sweep`.
 */
export interface KnowledgeStore {
  /** A new one; false when there is one of that id. */
  putBase(row: KnowledgeBaseRow): Promise<boolean>;
  /** False for one that is gone. */
  changeBase(kb_id: string, change: BaseChange): Promise<boolean>;
  base(kb_id: string): Promise<(KnowledgeBaseRow & KnowledgeCounts) | null>;
  /** By name. */
  bases(workspace_id: string): Promise<(KnowledgeBaseRow & KnowledgeCounts)[]>;
  /** With all its documents: neither is found any more. Their files and chunks go by `sweep`. */
  deleteBase(kb_id: string): Promise<boolean>;
  /**
   * A new one; `not_found` without its base. From then on its artifact does not expire and no retention removes it,
   * so that it may be written before, with an expiry.
   */
  putDocument(row: DocumentRow): Promise<void>;
  document(document_id: string): Promise<DocumentRow | null>;
  /**
   * By their ids, which rise with creation: the newest first. `before` is the id of the last one of the page before; it
   * may be gone meanwhile.
   */
  documents(kb_id: string, page?: PageRequest<string>): Promise<{ rows: DocumentRow[]; has_more: boolean }>;
  /** False for one that is gone. */
  changeDocument(document_id: string, change: DocumentChange): Promise<boolean>;
  /** With what of it can be found; its artifact expires at once. */
  deleteDocument(document_id: string): Promise<boolean>;
  /** Those that wait or are being indexed, the oldest first: after a start, what a host which ended was at work on. */
  unfinished(): Promise<DocumentRow[]>;
  /**
   * Begins a pass, whose generation it answers with, or null when the document is gone. `model_id`: the model of its
   * vectors. What an earlier pass of the document left unpublished is of no use from then on.
   */
  begin(document_id: string, model_id: string | null): Promise<number | null>;
  /** In steps so small that no commit notices. False when the document is gone or another pass has begun. */
  addChunks(document_id: string, generation: number, chunks: readonly NewChunk[]): Promise<boolean>;
  /** Readers find the chunks of this pass and no others from then on; the document is `ready`. False as `addChunks`. */
  publish(document_id: string, generation: number, at: number): Promise<boolean>;
  /**
   * These passes and the model that they were begun with become the base's in one step: nobody ever finds some of its
   * documents by the vectors of one model and some by those of another. A pass that `publish` would not take is left
   * out; false when the base is gone.
   */
  publishBase(kb_id: string, model_id: string | null, passes: readonly DocumentPass[], at: number): Promise<boolean>;
  /** One step: whether there is more to remove. */
  sweep(): Promise<boolean>;
  /** One look at the store: what it finds was findable together at one moment. */
  find(search: ChunkSearch): Promise<ChunkFindings>;
}

/** How a chunk is called, by runs and people that cite it. */
export function chunkId(document_id: string, generation: number, position: number): string {
  return `${document_id}.${generation}.${position}`;
}

export function baseGone(kb_id: string): StoreError {
  return new StoreError({
    code: 'not_found',
    reason: 'KNOWLEDGE_BASE_GONE',
    message: `There is no knowledge base ${kb_id}.`,
    retryable: false,
  });
}

export function noRoomForBase(): StoreError {
  return new StoreError({
    code: 'payload_too_large',
    reason: 'KNOWLEDGE_FULL',
    message: 'There is no room for another knowledge base.',
    retryable: false,
    hint: 'Delete knowledge bases that are not needed.',
  });
}

export function noRoomForChunks(): StoreError {
  return new StoreError({
    code: 'payload_too_large',
    reason: 'KNOWLEDGE_FULL',
    message: `A document has at most ${limits.document_chunks} parts that can be found.`,
    retryable: false,
    hint: 'Divide the document.',
  });
}
