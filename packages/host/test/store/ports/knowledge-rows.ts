import type {
  ChunkFilter,
  ChunkSearch,
  DocumentRow,
  KnowledgeBaseRow,
  KnowledgeStore,
  NewChunk,
} from '../../../src/store/ports/knowledge.ts';

export function baseRow(kb_id: string, change: Partial<KnowledgeBaseRow> = {}): KnowledgeBaseRow {
  const row = { kb_id, workspace_id: 'w', name: kb_id, description: 'All of it.', embedding_model: null };
  return { ...row, created_at: 1, updated_at: 1, ...change };
}

export function documentRow(kb_id: string, document_id: string, change: Partial<DocumentRow> = {}): DocumentRow {
  return {
    document_id,
    kb_id,
    name: `${document_id}.txt`,
    mime_type: 'text/plain',
    size_bytes: 5,
    sha256: 'f'.repeat(64),
    artifact_id: `file of ${document_id}`,
    metadata: {},
    status: 'waiting',
    problem: null,
    done: 0,
    total: 0,
    generation: 0,
    chunks: 0,
    created_at: 1,
    updated_at: 1,
    ...change,
  };
}

export function chunksOf(texts: readonly string[], embeddings: readonly number[][] = []): NewChunk[] {
  return texts.map((content, position) => {
    const embedding = embeddings[position];
    return {
      position,
      content,
      page: position + 1,
      heading: null,
      embedding: embedding === undefined ? null : Float32Array.from(embedding),
    };
  });
}

/** A pass over a document that is there, from its beginning to its publication. */
export async function index(
  knowledge: KnowledgeStore,
  document_id: string,
  chunks: readonly NewChunk[],
  model_id: string | null = null,
): Promise<number> {
  const generation = (await knowledge.begin(document_id, model_id)) ?? 0;
  await knowledge.addChunks(document_id, generation, chunks);
  await knowledge.publish(document_id, generation, 2);
  return generation;
}

export function searchFor(
  kb_id: string,
  wanted: { words?: string; vector?: ChunkSearch['vector']; filter?: Partial<ChunkFilter>; limit?: number },
): ChunkSearch {
  const { words = null, vector = null, filter = {}, limit = 10 } = wanted;
  return { filter: { kb_id, metadata: {}, ...filter }, words, vector, limit };
}

/** Texts that words lead to, best first. */
export async function textsOf(knowledge: KnowledgeStore, search: ChunkSearch): Promise<string[]> {
  const { words, vectors, chunks } = await knowledge.find(search);
  const texts = new Map(chunks.map(({ chunk_id, content }) => [chunk_id, content]));
  return (search.words === null ? vectors : words).map(({ chunk_id }) => texts.get(chunk_id) ?? 'no such chunk');
}
