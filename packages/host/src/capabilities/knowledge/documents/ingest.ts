import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { ArtifactStore } from '../../../store/ports/artifact.ts';
import type { DocumentPass, DocumentRow, KnowledgeStore } from '../../../store/ports/knowledge.ts';
import type { Model } from '../../models/model.ts';
import type { DocumentChunk } from './chunker.ts';
import { DocumentError, unreadable } from './document-error.ts';
import { kindOf } from './document-kind.ts';
import type { DocumentFile } from './document-reading.ts';
import { DocumentThread, type ReadingClock } from './document-thread.ts';

export interface IngestOptions {
  readonly knowledge: KnowledgeStore;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'read'>;
  readonly models: { find(model_id: string): Model | null };
  readonly clock: ReadingClock;
  /** The built program that reads documents. */
  readonly program: URL;
  /** What should not have happened. */
  failed(error: unknown): void;
}

/** One document with the vectors that its base has, or all of a base with those of some model. */
type Job =
  | { readonly kb_id: string; readonly document_id: string }
  | { readonly kb_id: string; readonly model_id: string | null };

/**
 * Makes documents findable, one after the other.
 *
 * I1. What could be found of a document is found until all of its new chunks are there.
 * I2. A base whose vectors get another model is searched by the old one until all its documents have the new.
 * I3. What was under way when the host ended is begun anew; nothing of the unfinished pass is ever found.
 */
export class Ingest {
  readonly #options: IngestOptions;
  #jobs: Job[] = [];
  #current: Job | null = null;
  readonly #stopped = new AbortController();
  #working: Promise<void> | null = null;

  constructor(options: IngestOptions) {
    this.#options = options;
  }

  add({ kb_id, document_id }: Pick<DocumentRow, 'kb_id' | 'document_id'>): void {
    this.#put({ kb_id, document_id });
  }

  /** All documents of a base anew, with the vectors of this model; whatever else waits for the base is done with it. */
  addBase(kb_id: string, model_id: string | null): void {
    this.#jobs = this.#jobs.filter((job) => job.kb_id !== kb_id);
    this.#put({ kb_id, model_id });
  }

  /** The model that a base will have when all is done; undefined when none of it is read with a model of its own. */
  planned(kb_id: string): string | null | undefined {
    const jobs = this.#current === null ? this.#jobs : [this.#current, ...this.#jobs];
    return jobs.flatMap((job) => (job.kb_id === kb_id && 'model_id' in job ? [job.model_id] : [])).at(-1);
  }

  /** When nothing is left to do. */
  async idle(): Promise<void> {
    while (this.#working !== null) await this.#working;
  }

  /** What is under way is left as it is: the next start goes on with it. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.idle();
  }

  #put(job: Job): void {
    this.#jobs.push(job);
    this.#start();
  }

  #start(): void {
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
      // One that was put here after the last look of the work that just ended.
      if (this.#jobs.length > 0 && !this.#stopped.signal.aborted) this.#start();
    });
  }

  async #work(): Promise<void> {
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      if (this.#stopped.signal.aborted) return;
      this.#current = job;
      try {
        if ('document_id' in job) await this.#doDocument(job.document_id);
        else await this.#doBase(job.kb_id, job.model_id);
      } catch (error) {
        if (!this.#stopped.signal.aborted) this.#options.failed(error);
      } finally {
        this.#current = null;
      }
    }
  }

  async #doDocument(document_id: string): Promise<void> {
    const { knowledge, clock } = this.#options;
    const document = await knowledge.document(document_id);
    const base = document === null ? null : await knowledge.base(document.kb_id);
    // Asked for twice, it is read once.
    if (document === null || base === null || document.status === 'ready' || document.status === 'failed') return;
    const pass = await this.#pass(document, base.embedding_model);
    if (pass !== null) await knowledge.publish(document_id, pass.generation, clock.now());
  }

  async #doBase(kb_id: string, model_id: string | null): Promise<void> {
    const { knowledge, clock } = this.#options;
    const before = await knowledge.base(kb_id);
    if (before === null) return;
    const isOther = before.embedding_model !== model_id;
    const held: DocumentPass[] = [];
    let failed = 0;
    for await (const document of documentsOf(knowledge, kb_id)) {
      const pass = await this.#pass(document, model_id);
      if (this.#stopped.signal.aborted) return;
      if (pass !== null && !isOther) await knowledge.publish(pass.document_id, pass.generation, clock.now());
      else if (pass !== null) held.push(pass);
      else if ((await knowledge.document(document.document_id)) !== null) failed += 1;
    }
    // A model that gave nothing for any of them is not theirs.
    if (isOther && (held.length > 0 || failed === 0)) {
      await knowledge.publishBase(kb_id, model_id, held, clock.now());
    }
  }

  /** Reads a document into a pass of its own; null when that fails, which is written down, or nobody needs it. */
  async #pass(document: DocumentRow, model_id: string | null): Promise<DocumentPass | null> {
    const { knowledge, clock } = this.#options;
    const { document_id } = document;
    try {
      const generation = await knowledge.begin(document_id, model_id);
      if (generation === null) return null;
      const begun = { status: 'indexing', problem: null, done: 0, total: 0, updated_at: clock.now() } as const;
      await knowledge.changeDocument(document_id, begun);
      const isWhole = await this.#read(document, generation, model_id);
      return isWhole ? { document_id, generation } : null;
    } catch (error) {
      if (this.#stopped.signal.aborted) return null;
      const problem = this.#problemOf(error);
      await knowledge.changeDocument(document_id, { status: 'failed', problem, updated_at: clock.now() });
      return null;
    }
  }

  /** Whether all of it is written; not when it is gone, or the host stops. */
  async #read(document: DocumentRow, generation: number, model_id: string | null): Promise<boolean> {
    const { knowledge, clock, program } = this.#options;
    const { document_id } = document;
    const { signal } = this.#stopped;
    const model = model_id === null ? null : this.#model(model_id);
    const { thread, total } = await DocumentThread.read(await this.#file(document), { program, clock });
    try {
      for (let done = 0; !signal.aborted; ) {
        await knowledge.changeDocument(document_id, { done, total, updated_at: clock.now() });
        const chunks = await thread.more();
        if (chunks.length === 0) return true;
        const vectors = model === null ? [] : (await model.embed(chunks.map(searchText), signal)).vectors;
        const rows = chunks.map((chunk, index) => ({ ...chunk, embedding: vectors[index] ?? null }));
        if (!(await knowledge.addChunks(document_id, generation, rows))) return false;
        done += chunks.length;
      }
      return false;
    } finally {
      await thread.close();
    }
  }

  #model(model_id: string): Model {
    const model = this.#options.models.find(model_id);
    if (model !== null) return model;
    const details = { reason: 'MODEL_NOT_FOUND', hint: 'Describe it under `models`, or change `knowledge.embedding`.' };
    throw new ApiError('runtime_error', `The model ${model_id}, which gives vectors, is not there.`, { details });
  }

  /** The file, a piece at a time; into memory of its own, which goes over to the thread. */
  async #file({ artifact_id, name, mime_type }: DocumentRow): Promise<DocumentFile> {
    const { artifacts, clock } = this.#options;
    const row = await artifacts.get(artifact_id, clock.now());
    const lost = () => unreadable(`The file of ${name} is not there any more.`, 'Remove the document and add it anew.');
    if (row === null) throw lost();
    const bytes = new Uint8Array(row.size_bytes);
    for (let offset = 0; offset < bytes.length; ) {
      const length = Math.min(limits.piece_bytes, bytes.length - offset);
      const piece = await artifacts.read(artifact_id, { offset, length }, clock.now());
      if (piece === null || piece.length === 0) throw lost();
      bytes.set(piece, offset);
      offset += piece.length;
    }
    const { charset } = row.metadata;
    return { bytes, name, kind: kindOf(mime_type), charset: typeof charset === 'string' ? charset : null };
  }

  #problemOf(error: unknown): DocumentRow['problem'] {
    if (error instanceof DocumentError) {
      const { reason, message, hint } = error.problem;
      return { reason, message, hint };
    }
    if (error instanceof ApiError) {
      const { reason, hint } = error.details;
      return {
        reason: typeof reason === 'string' ? reason : error.code,
        message: error.message,
        hint: typeof hint === 'string' ? hint : null,
      };
    }
    this.#options.failed(error);
    const hint = 'Look into the log of the host, then index it again.';
    return { reason: 'runtime_error', message: 'The host failed to index it.', hint };
  }
}

/** What a vector stands for: a chunk is found by the headings above it, too. */
function searchText({ heading, content }: DocumentChunk): string {
  return heading === null ? content : `${heading}\n\n${content}`;
}

/** All documents of a base, page by page. */
export async function* documentsOf(knowledge: KnowledgeStore, kb_id: string): AsyncGenerator<DocumentRow, void> {
  for (let before: string | undefined; ; ) {
    const page = await knowledge.documents(kb_id, {
      limit: limits.page_items,
      ...(before !== undefined && { before }),
    });
    yield* page.rows;
    before = page.rows.at(-1)?.document_id;
    if (!page.has_more || before === undefined) return;
  }
}
