import type { JsonObject } from '@rostra/protocol/wire/json';
import type { ChunkRow } from '../../store/ports/knowledge.ts';
import type { FoundChunk } from './knowledge-base.ts';

/** A chunk with all that is needed to cite it. What a document says of itself never takes the place of what it is. */
export function foundChunk(row: ChunkRow, score: number): FoundChunk {
  const { chunk_id, content, document_id, document_name, position, page, heading } = row;
  const place: JsonObject = { ...(page !== null && { page }), ...(heading !== null && { heading }) };
  const metadata = { ...row.metadata, document_id, document_name, position, ...place };
  return { chunk_id, content, score, source: sourceOf(row), metadata };
}

/** `guide.pdf, page 3`; `guide.txt › Sales › Refunds` where there are no pages. */
function sourceOf({ document_name, page, heading }: ChunkRow): string {
  if (page !== null) return `${document_name}, page ${page}`;
  return heading === null ? document_name : `${document_name} › ${heading}`;
}
