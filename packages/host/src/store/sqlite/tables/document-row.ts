import type { DocumentRow, DocumentStatus } from '../../ports/knowledge.ts';
import type { SqlRow } from '../driver.ts';
import { jsonObject } from '../json-column.ts';

/** Documents whose base is there. */
export const selectDocument = `SELECT document.*, base.kb_id FROM knowledge_document AS document
  JOIN knowledge_base AS base ON base.key = document.base AND base.kb_id IS NOT NULL`;

export function decodeDocument(row: SqlRow): DocumentRow {
  return {
    document_id: row.document_id as string,
    kb_id: row.kb_id as string,
    name: row.name as string,
    mime_type: row.mime_type as string,
    size_bytes: row.size_bytes as number,
    sha256: row.sha256 as string,
    artifact_id: row.artifact_id as string,
    metadata: jsonObject(row.metadata),
    status: row.status as DocumentStatus,
    problem: typeof row.problem === 'string' ? JSON.parse(row.problem) : null,
    done: row.done as number,
    total: row.total as number,
    generation: row.generation as number,
    chunks: row.chunks as number,
    created_at: row.created_at as number,
    updated_at: row.updated_at as number,
  };
}
