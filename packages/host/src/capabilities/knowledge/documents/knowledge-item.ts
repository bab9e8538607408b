import type { KnowledgeBaseItem, KnowledgeDocument } from '@rostra/protocol/run-api/knowledge-api';
import type { DocumentRow, KnowledgeBaseRow, KnowledgeCounts } from '../../../store/ports/knowledge.ts';

function iso(at: number): string {
  return new Date(at).toISOString();
}

export function baseItem(row: KnowledgeBaseRow & KnowledgeCounts): KnowledgeBaseItem {
  return {
    id: row.kb_id,
    name: row.name,
    description: row.description,
    embeddingModel: row.embedding_model,
    documents: row.documents,
    chunks: row.chunks,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}

export function documentItem(row: DocumentRow): KnowledgeDocument {
  return {
    id: row.document_id,
    knowledgeBaseId: row.kb_id,
    name: row.name,
    mimeType: row.mime_type,
    size: row.size_bytes,
    sha256: row.sha256,
    metadata: row.metadata,
    status: row.status,
    problem: row.problem,
    done: row.done,
    total: row.total,
    chunks: row.chunks,
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
  };
}
