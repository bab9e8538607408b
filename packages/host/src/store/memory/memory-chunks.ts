import {
  type ChunkFilter,
  type ChunkFindings,
  type ChunkRow,
  type ChunkSearch,
  chunkId,
  type DocumentRow,
  type NewChunk,
} from '../ports/knowledge.ts';
import { chunkWords } from '../search/chunk-words.ts';
import { best, scoreOf, usualChunkWords, weightOf } from '../search/ranking.ts';
import { cosineDistance } from '../search/vectors.ts';
import { queryWords } from '../search/words.ts';

/** A document of the base that is searched, with what of it can be found. */
export interface FoundDocument {
  readonly document: DocumentRow;
  readonly model_id: string | null;
  readonly chunks: readonly NewChunk[];
}

interface Place {
  readonly row: ChunkRow;
  readonly embedding: Float32Array | null;
  /** Rises with the pass and the position. */
  readonly place: number;
}

/** The same search as that of the database, by looking at everything. */
export function findChunks(documents: readonly FoundDocument[], search: ChunkSearch): ChunkFindings {
  const places = documents
    .filter(({ document }) => isWanted(document, search.filter))
    .flatMap(({ document, model_id, chunks }) =>
      chunks.map((chunk) => ({
        row: rowOf(document, chunk),
        embedding: model_id === search.vector?.model_id ? chunk.embedding : null,
        place: document.generation * 2 ** 16 + chunk.position,
      })),
    );
  const words = byWords(places, search);
  const vectors = byVector(places, search);
  const match = ({ row, score }: Place & { score: number }) => ({ chunk_id: row.chunk_id, score });
  return {
    words: words.map(match),
    vectors: vectors.map(match),
    chunks: [...new Set([...words, ...vectors].map(({ row }) => row))],
  };
}

function byWords(places: readonly Place[], { words: query, limit }: ChunkSearch): (Place & { score: number })[] {
  const sought = query === null ? [] : queryWords(query);
  const texts = places.map(({ row }) => chunkWords(row));
  const weights = new Map(
    sought.map((word) => {
      const has = (text: string) => (word.open ? text.startsWith(word.text) : text === word.text);
      return [word, weightOf(texts.filter((text) => text.some(has)).length, places.length)] as const;
    }),
  );
  const scored = places.map((place, at) => ({ ...place, score: scoreOf(texts[at] ?? [], weights, usualChunkWords) }));
  return best(
    scored.filter(({ score }) => score > 0),
    limit,
  );
}

function byVector(places: readonly Place[], { vector, limit }: ChunkSearch): (Place & { score: number })[] {
  if (vector === null) return [];
  return places
    .flatMap((place) => {
      const { embedding } = place;
      const apart = embedding?.length === vector.values.length ? cosineDistance(embedding, vector.values) : null;
      return apart === null ? [] : [{ ...place, score: 1 - apart }];
    })
    .sort((a, b) => b.score - a.score || a.place - b.place)
    .slice(0, limit);
}

function isWanted(document: DocumentRow, { metadata, document_ids, document_names }: ChunkFilter): boolean {
  if (document_ids !== undefined && !document_ids.includes(document.document_id)) return false;
  if (document_names !== undefined && !document_names.includes(document.name)) return false;
  return Object.entries(metadata).every(([key, value]) => {
    return Object.hasOwn(document.metadata, key) && value !== null && document.metadata[key] === value;
  });
}

function rowOf(document: DocumentRow, { position, content, page, heading }: NewChunk): ChunkRow {
  const { document_id, name: document_name, generation, metadata } = document;
  const chunk_id = chunkId(document_id, generation, position);
  return { chunk_id, position, content, page, heading, document_id, document_name, metadata };
}
