import { limits } from '@rostra/protocol/wire/limits';
import type { InThread } from '../in-thread.ts';
import {
  type BaseChange,
  baseGone,
  type ChunkFindings,
  type ChunkSearch,
  type DocumentChange,
  type DocumentPass,
  type DocumentRow,
  type KnowledgeBaseRow,
  type KnowledgeCounts,
  type KnowledgeStore,
  type NewChunk,
  noRoomForChunks,
} from '../ports/knowledge.ts';
import type { PageRequest } from '../ports/page.ts';
import { type FoundDocument, findChunks } from './memory-chunks.ts';
import { duplicate, type MemoryArtifactRows } from './memory-objects.ts';
import { pageBack } from './memory-page.ts';
import { promised } from './promised.ts';

type KeptFiles = Pick<MemoryArtifactRows, 'keep' | 'letGo'>;

/** The port without a disk. */
export function memoryKnowledge(artifacts: KeptFiles): KnowledgeStore {
  return promised<KnowledgeStore>(new MemoryKnowledge(artifacts), [
    'putBase',
    'changeBase',
    'base',
    'bases',
    'deleteBase',
    'putDocument',
    'document',
    'documents',
    'changeDocument',
    'deleteDocument',
    'unfinished',
    'begin',
    'addChunks',
    'publish',
    'publishBase',
    'sweep',
    'find',
  ]);
}

interface Pass {
  readonly document_id: string;
  readonly model_id: string | null;
  readonly chunks: Map<number, NewChunk>;
}

class MemoryKnowledge implements InThread<KnowledgeStore> {
  readonly #artifacts: KeptFiles;
  readonly #bases = new Map<string, KnowledgeBaseRow>();
  readonly #documents = new Map<string, DocumentRow>();
  /** Published ones, and those under way, by generation. */
  readonly #passes = new Map<number, Pass>();
  #generation = 0;

  constructor(artifacts: KeptFiles) {
    this.#artifacts = artifacts;
  }

  putBase(row: KnowledgeBaseRow): boolean {
    if (this.#bases.has(row.kb_id)) return false;
    this.#bases.set(row.kb_id, row);
    return true;
  }

  changeBase(kb_id: string, { name, description, updated_at }: BaseChange): boolean {
    const row = this.#bases.get(kb_id);
    if (row !== undefined) this.#bases.set(kb_id, { ...row, name, description, updated_at });
    return row !== undefined;
  }

  base(kb_id: string): (KnowledgeBaseRow & KnowledgeCounts) | null {
    const row = this.#bases.get(kb_id);
    if (row === undefined) return null;
    const documents = this.#of(kb_id);
    return { ...row, documents: documents.length, chunks: documents.reduce((sum, { chunks }) => sum + chunks, 0) };
  }

  bases(workspace_id: string): (KnowledgeBaseRow & KnowledgeCounts)[] {
    return [...this.#bases.values()]
      .filter((row) => row.workspace_id === workspace_id)
      .sort((a, b) => (a.name === b.name ? order(a.kb_id, b.kb_id) : order(a.name, b.name)))
      .flatMap(({ kb_id }) => this.base(kb_id) ?? []);
  }

  deleteBase(kb_id: string): boolean {
    for (const { document_id } of this.#of(kb_id)) this.deleteDocument(document_id);
    return this.#bases.delete(kb_id);
  }

  putDocument(row: DocumentRow): void {
    if (!this.#bases.has(row.kb_id)) throw baseGone(row.kb_id);
    if (this.#documents.has(row.document_id)) throw duplicate(`document ${row.document_id}`);
    this.#documents.set(row.document_id, { ...row, generation: 0, chunks: 0 });
    this.#artifacts.keep(row.artifact_id);
  }

  document(document_id: string): DocumentRow | null {
    return this.#documents.get(document_id) ?? null;
  }

  documents(kb_id: string, { before, limit }: PageRequest<string> = {}): { rows: DocumentRow[]; has_more: boolean } {
    const older = this.#of(kb_id).filter(({ document_id }) => before === undefined || document_id < before);
    older.sort((a, b) => order(a.document_id, b.document_id));
    return pageBack(older, () => false, limit);
  }

  changeDocument(document_id: string, change: DocumentChange): boolean {
    const row = this.#documents.get(document_id);
    if (row === undefined) return false;
    this.#documents.set(document_id, { ...row, ...change });
    if (change.status === 'failed' || change.status === 'ready') this.#drop(document_id, row.generation);
    return true;
  }

  deleteDocument(document_id: string): boolean {
    const row = this.#documents.get(document_id);
    if (row === undefined) return false;
    this.#documents.delete(document_id);
    this.#drop(document_id, 0);
    const others = [...this.#documents.values()].some(({ artifact_id }) => artifact_id === row.artifact_id);
    if (!others) this.#artifacts.letGo(row.artifact_id);
    return true;
  }

  unfinished(): DocumentRow[] {
    return [...this.#documents.values()].filter(({ status }) => status === 'waiting' || status === 'indexing');
  }

  begin(document_id: string, model_id: string | null): number | null {
    const row = this.#documents.get(document_id);
    if (row === undefined) return null;
    this.#drop(document_id, row.generation);
    this.#generation += 1;
    this.#passes.set(this.#generation, { document_id, model_id, chunks: new Map() });
    return this.#generation;
  }

  addChunks(document_id: string, generation: number, chunks: readonly NewChunk[]): boolean {
    const pass = this.#open(document_id, generation);
    if (pass === null) return false;
    for (const chunk of chunks) {
      if (chunk.position >= limits.document_chunks) throw noRoomForChunks();
      if (pass.chunks.has(chunk.position)) throw duplicate(`chunk ${chunk.position} of ${document_id}`);
      pass.chunks.set(chunk.position, chunk);
    }
    return true;
  }

  publish(document_id: string, generation: number, at: number): boolean {
    const [pass, row] = [this.#open(document_id, generation), this.#documents.get(document_id)];
    if (pass === null || row === undefined) return false;
    const published = { generation, chunks: pass.chunks.size, status: 'ready', problem: null, updated_at: at } as const;
    this.#documents.set(document_id, { ...row, ...published });
    this.#drop(document_id, generation);
    return true;
  }

  publishBase(kb_id: string, model_id: string | null, passes: readonly DocumentPass[], at: number): boolean {
    const row = this.#bases.get(kb_id);
    if (row === undefined) return false;
    this.#bases.set(kb_id, { ...row, embedding_model: model_id, updated_at: at });
    for (const { document_id, generation } of passes) this.publish(document_id, generation, at);
    return true;
  }

  /** What is dropped is gone at once. */
  sweep(): boolean {
    return false;
  }

  find(search: ChunkSearch): ChunkFindings {
    const found = this.#of(search.filter.kb_id).flatMap((document): FoundDocument[] => {
      const pass = this.#passes.get(document.generation);
      return pass === undefined ? [] : [{ document, model_id: pass.model_id, chunks: [...pass.chunks.values()] }];
    });
    return findChunks(found, search);
  }

  #of(kb_id: string): DocumentRow[] {
    return [...this.#documents.values()].filter((row) => row.kb_id === kb_id);
  }

  #open(document_id: string, generation: number): Pass | null {
    const pass = this.#passes.get(generation);
    const isOpen = pass?.document_id === document_id && this.#documents.get(document_id)?.generation !== generation;
    return isOpen ? pass : null;
  }

  /** All passes of a document but one. */
  #drop(document_id: string, kept: number): void {
    for (const [generation, pass] of this.#passes) {
      if (pass.document_id === document_id && generation !== kept) this.#passes.delete(generation);
    }
  }
}

function order(a: string, b: string): number {
  return a < b ? -1 : 1;
}
