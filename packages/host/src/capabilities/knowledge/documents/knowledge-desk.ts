import { artifactName } from '@rostra/kernel/artifact/artifact-name';
import type { KnowledgeConfig } from '@rostra/protocol/config/tool-config';
import type {
  KnowledgeBaseItem,
  KnowledgeBasePatch,
  KnowledgeDocument,
  KnowledgeMatch,
  KnowledgeSearch,
  NewKnowledgeBase,
} from '@rostra/protocol/run-api/knowledge-api';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { CapabilityReason, StoreReason } from '@rostra/protocol/wire/reason';
import { SNIFFED_BYTES } from '../../../store/artifacts/mime-sniff.ts';
import type { ArtifactStore } from '../../../store/ports/artifact.ts';
import type { DocumentRow, KnowledgeBaseRow, KnowledgeCounts } from '../../../store/ports/knowledge.ts';
import type { Retriever } from '../knowledge-base.ts';
import { DocumentError, unreadable } from './document-error.ts';
import { charsetOf, documentKind, mimeTypeOf, type Said } from './document-kind.ts';
import { beginningOf } from './file-beginning.ts';
import { documentsOf, Ingest, type IngestOptions } from './ingest.ts';
import { baseItem, documentItem } from './knowledge-item.ts';

/** Whose bases are meant. */
export interface KnowledgeOwner {
  readonly workspace_id: string;
}

/** A file that is being sent. */
export interface NewDocument {
  readonly filename: string;
  readonly content_type: string | null;
  readonly content: AsyncIterable<Uint8Array>;
  readonly metadata: JsonObject;
}

export interface KnowledgeDeskOptions extends IngestOptions {
  readonly artifacts: Pick<ArtifactStore, 'create' | 'get' | 'read'>;
  readonly retriever: Retriever;
  readonly newId: () => string;
  /** Read anew whenever it is needed. */
  config(): Pick<KnowledgeConfig, 'embedding'>;
  /** There are other bases than before, or they are called otherwise: what agents are offered changes. */
  changed(): Promise<void>;
}

/** Knowledge bases and their documents as people manage them. A refusal is an ApiError. */
export class KnowledgeDesk {
  readonly #options: KnowledgeDeskOptions;
  readonly #ingest: Ingest;

  constructor(options: KnowledgeDeskOptions) {
    this.#options = options;
    this.#ingest = new Ingest(options);
  }

  /**
   * After a start, and after a change of the configuration: goes on with what is unfinished, and begins anew where the
   * vectors are to come from another model.
   */
  async apply(workspace_id: string): Promise<void> {
    const { knowledge } = this.#options;
    const begun = new Set<string>();
    for (const base of await knowledge.bases(workspace_id)) {
      const planned = this.#ingest.planned(base.kb_id);
      const embedding_model = planned === undefined ? base.embedding_model : planned;
      const isOther = this.#target({ embedding_model }) !== embedding_model;
      if (isOther || planned !== undefined) begun.add(base.kb_id);
      if (isOther) await this.#begin(base);
    }
    for (const document of await knowledge.unfinished()) if (!begun.has(document.kb_id)) this.#ingest.add(document);
  }

  /** When every document is indexed, or failed. */
  idle(): Promise<void> {
    return this.#ingest.idle();
  }

  stop(): Promise<void> {
    return this.#ingest.stop();
  }

  async list({ workspace_id }: KnowledgeOwner): Promise<KnowledgeBaseItem[]> {
    return (await this.#options.knowledge.bases(workspace_id)).map(baseItem);
  }

  async get(owner: KnowledgeOwner, kb_id: string): Promise<KnowledgeBaseItem> {
    return baseItem(await this.#base(owner, kb_id));
  }

  async create({ workspace_id }: KnowledgeOwner, { id, name, description }: NewKnowledgeBase) {
    const { knowledge, clock, config } = this.#options;
    const exists = () =>
      refused('KNOWLEDGE_BASE_EXISTS', `There is a knowledge base ${id} already.`, 'Choose another id.');
    if ((await knowledge.base(id)) !== null) throw exists();
    if ((await knowledge.bases(workspace_id)).length >= limits.knowledge_bases) {
      throw full(`There are at most ${limits.knowledge_bases} knowledge bases.`);
    }
    const [created_at, embedding_model] = [clock.now(), config().embedding];
    const times = { created_at, updated_at: created_at };
    const row = { kb_id: id, workspace_id, name: name ?? id, description, embedding_model, ...times };
    if (!(await knowledge.putBase(row))) throw exists();
    await this.#options.changed();
    return baseItem({ ...row, documents: 0, chunks: 0 });
  }

  async change(owner: KnowledgeOwner, kb_id: string, patch: KnowledgeBasePatch): Promise<KnowledgeBaseItem> {
    const { knowledge, clock } = this.#options;
    const before = await this.#base(owner, kb_id);
    const { name = before.name, description = before.description } = patch;
    await knowledge.changeBase(kb_id, { name, description, updated_at: clock.now() });
    await this.#options.changed();
    return this.get(owner, kb_id);
  }

  async remove(owner: KnowledgeOwner, kb_id: string): Promise<void> {
    await this.#base(owner, kb_id);
    await this.#options.knowledge.deleteBase(kb_id);
    await this.#options.changed();
  }

  /** Keeps the file, and begins to index it. */
  async add(owner: KnowledgeOwner, kb_id: string, file: NewDocument): Promise<KnowledgeDocument> {
    const { knowledge, clock, newId } = this.#options;
    const base = await this.#base(owner, kb_id);
    if (base.documents >= limits.base_documents) {
      throw full(`A knowledge base has at most ${limits.base_documents} documents.`);
    }
    const artifact = await this.#keep(owner, file);
    const { artifact_id, name, mime_type, size_bytes, sha256 } = artifact;
    const now = clock.now();
    const row: DocumentRow = {
      document_id: newId(),
      kb_id,
      ...{ name, mime_type, size_bytes, sha256, artifact_id },
      metadata: file.metadata,
      status: 'waiting',
      problem: null,
      ...{ done: 0, total: 0, generation: 0, chunks: 0 },
      ...{ created_at: now, updated_at: now },
    };
    await knowledge.putDocument(row);
    this.#ingest.add(row);
    return documentItem(row);
  }

  async #keep({ workspace_id }: KnowledgeOwner, { filename, content_type, content }: NewDocument) {
    const { artifacts, clock, newId } = this.#options;
    const name = artifactName(filename);
    const beginning = await beginningOf(content, SNIFFED_BYTES);
    const mime_type = checkedType(beginning.head, { name, content_type });
    const charset = charsetOf(content_type);
    const now = clock.now();
    const about = { name, mime_type, created_at: now, metadata: charset === null ? {} : { charset } };
    const nowhere = { session_id: null, bot_id: null, thread_id: null, run_id: null, agent_id: null };
    // A document that names it keeps it; without one, after a crash for instance, it goes.
    const expires_at = now + limits.orphan_age;
    const row = { artifact_id: newId(), workspace_id, ...nowhere, ...about, expires_at };
    return artifacts.create(row, beginning.content);
  }

  async documents(owner: KnowledgeOwner, kb_id: string, { cursor, limit }: { cursor?: string; limit?: number }) {
    await this.#base(owner, kb_id);
    const page = { ...(cursor !== undefined && { before: cursor }), ...(limit !== undefined && { limit }) };
    const { rows, has_more } = await this.#options.knowledge.documents(kb_id, page);
    return { items: rows.map(documentItem), nextCursor: has_more ? (rows.at(-1)?.document_id ?? null) : null };
  }

  async document(owner: KnowledgeOwner, kb_id: string, document_id: string): Promise<KnowledgeDocument> {
    return documentItem(await this.#document(owner, kb_id, document_id));
  }

  async removeDocument(owner: KnowledgeOwner, kb_id: string, document_id: string): Promise<void> {
    await this.#document(owner, kb_id, document_id);
    await this.#options.knowledge.deleteDocument(document_id);
  }

  /** Reads all documents anew, with vectors of the model that is configured now. */
  async reindex(owner: KnowledgeOwner, kb_id: string): Promise<KnowledgeBaseItem> {
    await this.#begin(await this.#base(owner, kb_id));
    return this.get(owner, kb_id);
  }

  async search(owner: KnowledgeOwner, kb_id: string, { query, topK, filters }: KnowledgeSearch, signal: AbortSignal) {
    await this.#base(owner, kb_id);
    const asked = { kb_id, query_text: query, top_k: topK, filters };
    const found = await this.#options.retriever.retrieve(asked, signal);
    return found.map(({ chunk_id: id, content, score, source, metadata }): KnowledgeMatch => {
      return { id, content, score, source, metadata };
    });
  }

  async #begin({ kb_id, ...base }: KnowledgeBaseRow): Promise<void> {
    const { knowledge, clock } = this.#options;
    const waiting = { status: 'waiting', problem: null, done: 0, total: 0 } as const;
    for await (const { document_id } of documentsOf(knowledge, kb_id)) {
      await knowledge.changeDocument(document_id, { ...waiting, updated_at: clock.now() });
    }
    this.#ingest.addBase(kb_id, this.#target(base));
  }

  /** The model that a base should have vectors of; one that is not there is not waited for. */
  #target({ embedding_model }: Pick<KnowledgeBaseRow, 'embedding_model'>): string | null {
    const { embedding } = this.#options.config();
    return embedding === null || this.#options.models.find(embedding) !== null ? embedding : embedding_model;
  }

  async #base({ workspace_id }: KnowledgeOwner, kb_id: string): Promise<KnowledgeBaseRow & KnowledgeCounts> {
    const base = await this.#options.knowledge.base(kb_id);
    if (base?.workspace_id === workspace_id) return base;
    throw new ApiError('not_found', 'there is no such knowledge base', {
      details: { hint: 'GET /api/v1/knowledge lists those that there are.' },
    });
  }

  async #document(owner: KnowledgeOwner, kb_id: string, document_id: string): Promise<DocumentRow> {
    await this.#base(owner, kb_id);
    const document = await this.#options.knowledge.document(document_id);
    if (document?.kb_id === kb_id) return document;
    throw new ApiError('not_found', 'there is no such document', {
      details: { hint: `GET /api/v1/knowledge/${kb_id}/documents lists those that there are.` },
    });
  }
}

function checkedType(head: Buffer, said: Said): string {
  try {
    if (head.length === 0) throw unreadable(`${said.name} is empty.`, 'Add a file with text in it.');
    return mimeTypeOf[documentKind(head, said)];
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { code, reason, message, hint } = error.problem;
    throw new ApiError(code, message, { details: { reason, ...(hint !== null && { hint }) } });
  }
}

function refused(reason: CapabilityReason, message: string, hint: string): ApiError {
  return new ApiError('invalid_argument', message, { details: { reason, hint } });
}

function full(message: string): ApiError {
  const reason: StoreReason = 'KNOWLEDGE_FULL';
  return new ApiError('payload_too_large', message, { details: { reason, hint: 'Delete what is not needed.' } });
}
