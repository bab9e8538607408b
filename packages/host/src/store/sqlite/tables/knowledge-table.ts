import type { InThread } from '../../in-thread.ts';
import {
  type BaseChange,
  baseGone,
  type DocumentChange,
  type DocumentPass,
  type DocumentRow,
  type KnowledgeBaseRow,
  type KnowledgeCounts,
  type KnowledgeStore,
  type NewChunk,
  noRoomForBase,
} from '../../ports/knowledge.ts';
import { type PageRequest, pageLimit } from '../../ports/page.ts';
import { basesMost } from '../chunk-key.ts';
import type { SqlRow } from '../driver.ts';
import type { Statements } from '../statements.ts';
import { decodeDocument, selectDocument } from './document-row.ts';
import { PassTable } from './pass-table.ts';

/** All of the port but `find`, which has a thread of its own. */
export type KnowledgeRows = Omit<KnowledgeStore, 'find'>;

const selectBase = `SELECT base.*,
    (SELECT count(*) FROM knowledge_document WHERE base = base.key) AS documents,
    (SELECT ifnull(sum(chunks), 0) FROM knowledge_document WHERE base = base.key) AS chunks
  FROM knowledge_base AS base`;

export class KnowledgeTable implements InThread<KnowledgeRows> {
  readonly #sql: Statements;
  readonly #passes: PassTable;

  constructor(sql: Statements) {
    this.#sql = sql;
    this.#passes = new PassTable(sql);
  }

  putBase(row: KnowledgeBaseRow): boolean {
    const { kb_id, workspace_id, name, description, embedding_model, created_at, updated_at } = row;
    if (this.#sql.get('SELECT 1 FROM knowledge_base WHERE kb_id = ?', kb_id) !== undefined) return false;
    // A key is free again when nothing is left of the base that had it: there is room for few.
    const free =
      this.#sql.get(`SELECT min(key) + 1 AS key FROM (SELECT 0 AS key UNION ALL SELECT key FROM knowledge_base)
      WHERE key + 1 NOT IN (SELECT key FROM knowledge_base)`);
    const key = Number(free?.key);
    if (key >= basesMost) throw noRoomForBase();
    this.#sql.run(
      `INSERT INTO knowledge_base (key, kb_id, workspace_id, name, description, embedding_model, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      key,
      kb_id,
      workspace_id,
      name,
      description,
      embedding_model,
      created_at,
      updated_at,
    );
    return true;
  }

  changeBase(kb_id: string, { name, description, updated_at }: BaseChange): boolean {
    const sql = 'UPDATE knowledge_base SET name = ?, description = ?, updated_at = ? WHERE kb_id = ?';
    return this.#sql.run(sql, name, description, updated_at, kb_id) > 0;
  }

  base(kb_id: string): (KnowledgeBaseRow & KnowledgeCounts) | null {
    const row = this.#sql.get(`${selectBase} WHERE kb_id = ?`, kb_id);
    return row === undefined ? null : decodeBase(row);
  }

  bases(workspace_id: string): (KnowledgeBaseRow & KnowledgeCounts)[] {
    return this.#sql
      .all(`${selectBase} WHERE workspace_id = ? AND kb_id IS NOT NULL ORDER BY name, kb_id`, workspace_id)
      .map(decodeBase);
  }

  deleteBase(kb_id: string): boolean {
    return this.#sql.run('UPDATE knowledge_base SET kb_id = NULL WHERE kb_id = ?', kb_id) > 0;
  }

  putDocument(row: DocumentRow): void {
    const base = this.#sql.get('SELECT key FROM knowledge_base WHERE kb_id = ?', row.kb_id);
    if (base === undefined) throw baseGone(row.kb_id);
    this.#sql.run(
      `INSERT INTO knowledge_document (document_id, base, name, mime_type, size_bytes, sha256, artifact_id, metadata,
        status, problem, done, total, generation, chunks, created_at, updated_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)`,
      row.document_id,
      base.key ?? null,
      row.name,
      row.mime_type,
      row.size_bytes,
      row.sha256,
      row.artifact_id,
      JSON.stringify(row.metadata),
      row.status,
      row.problem === null ? null : JSON.stringify(row.problem),
      row.done,
      row.total,
      row.created_at,
      row.updated_at,
    );
    this.#sql.run('UPDATE artifact SET expires_at = NULL WHERE artifact_id = ?', row.artifact_id);
  }

  document(document_id: string): DocumentRow | null {
    const row = this.#sql.get(`${selectDocument} WHERE document_id = ?`, document_id);
    return row === undefined ? null : decodeDocument(row);
  }

  documents(kb_id: string, page: PageRequest<string> = {}): { rows: DocumentRow[]; has_more: boolean } {
    const limit = pageLimit(page.limit);
    const found = this.#sql.all(
      `${selectDocument} WHERE kb_id = ?1 AND (?2 IS NULL OR document_id < ?2) ORDER BY document_id DESC LIMIT ?3`,
      kb_id,
      page.before ?? null,
      limit + 1,
    );
    return { rows: found.slice(0, limit).map(decodeDocument), has_more: found.length > limit };
  }

  changeDocument(document_id: string, change: DocumentChange): boolean {
    const row = this.document(document_id);
    if (row === null) return false;
    const { name, metadata, status, problem, done, total, updated_at } = { ...row, ...change };
    this.#sql.run(
      `UPDATE knowledge_document SET name = ?, metadata = ?, status = ?, problem = ?, done = ?, total = ?, updated_at = ?
        WHERE document_id = ?`,
      name,
      JSON.stringify(metadata),
      status,
      problem === null ? null : JSON.stringify(problem),
      done,
      total,
      updated_at,
      document_id,
    );
    if (change.status === 'failed' || change.status === 'ready') this.#passes.dropUnpublished(document_id);
    return true;
  }

  deleteDocument(document_id: string): boolean {
    if (this.document(document_id) === null) return false;
    this.#passes.forget(document_id);
    return true;
  }

  unfinished(): DocumentRow[] {
    return this.#sql
      .all(`${selectDocument} WHERE status IN ('waiting', 'indexing') ORDER BY document.key`)
      .map(decodeDocument);
  }

  begin(document_id: string, model_id: string | null): number | null {
    return this.#passes.begin(document_id, model_id);
  }

  addChunks(document_id: string, generation: number, chunks: readonly NewChunk[]): boolean {
    return this.#passes.add(document_id, generation, chunks);
  }

  publish(document_id: string, generation: number, at: number): boolean {
    return this.#passes.publish(document_id, generation, at);
  }

  publishBase(kb_id: string, model_id: string | null, passes: readonly DocumentPass[], at: number): boolean {
    const sql = 'UPDATE knowledge_base SET embedding_model = ?, updated_at = ? WHERE kb_id = ?';
    if (this.#sql.run(sql, model_id, at, kb_id) === 0) return false;
    for (const { document_id, generation } of passes) this.#passes.publish(document_id, generation, at);
    return true;
  }

  sweep(): boolean {
    return this.#passes.sweep();
  }
}

function decodeBase(row: SqlRow): KnowledgeBaseRow & KnowledgeCounts {
  return {
    kb_id: row.kb_id as string,
    workspace_id: row.workspace_id as string,
    name: row.name as string,
    description: row.description as string,
    embedding_model: row.embedding_model as string | null,
    created_at: row.created_at as number,
    updated_at: row.updated_at as number,
    documents: row.documents as number,
    chunks: row.chunks as number,
  };
}
