import type { KnowledgeConfig } from '@rostra/protocol/config/tool-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { ChunkRow, ChunkSearch, KnowledgeStore } from '../../store/ports/knowledge.ts';
import type { Model } from '../models/model.ts';
import { foundChunk } from './citation.ts';
import type { ReadingClock } from './documents/document-thread.ts';
import type { FoundChunk, KnowledgeQuery, Retriever } from './knowledge-base.ts';
import { readFilters } from './query-filter.ts';
import { fuseRanks } from './ranking.ts';

export interface HybridRetrieverOptions {
  readonly knowledge: Pick<KnowledgeStore, 'base' | 'find'>;
  readonly models: { find(model_id: string): Pick<Model, 'embed' | 'rerank'> | null };
  /** Read at each search: a reload changes it. */
  readonly config: () => Pick<KnowledgeConfig, 'rerank'>;
  readonly clock: ReadingClock;
  /** A model did not help: what was found does without it. */
  readonly report: (failure: unknown) => void;
}

interface RankedChunk {
  readonly row: ChunkRow;
  readonly score: number;
}

/**
 * Finds by words and, where a base has vectors, by what they mean: both orders become one, which a model may put into
 * a better one. A model that fails makes the answer poorer, and is told of; it does not take the answer away.
 */
export class HybridRetriever implements Retriever {
  readonly #options: HybridRetrieverOptions;

  constructor(options: HybridRetrieverOptions) {
    this.#options = options;
  }

  async retrieve(query: KnowledgeQuery, signal: AbortSignal): Promise<FoundChunk[]> {
    const { knowledge } = this.#options;
    const filter = readFilters(query.kb_id, query.filters);
    const base = await knowledge.base(query.kb_id);
    if (base === null) throw new ApiError('not_found', 'There is no such knowledge base.');
    const vector = await this.#vectorOf(base.embedding_model, query.query_text, signal);
    const { words, vectors, chunks } = await knowledge.find({
      filter,
      words: query.query_text,
      vector,
      limit: limits.knowledge_matches,
    });
    const rows = new Map(chunks.map((row) => [row.chunk_id, row]));
    const lists = [words, ...(vector === null ? [] : [vectors])].map((list) => list.map(({ chunk_id }) => chunk_id));
    const ranked = fuseRanks(lists).flatMap(({ id, score }) => {
      const row = rows.get(id);
      return row === undefined ? [] : [{ row, score }];
    });
    const best = (await this.#reranked(query, ranked, signal)) ?? ranked.slice(0, query.top_k);
    return best.map(({ row, score }) => foundChunk(row, score));
  }

  async #vectorOf(model_id: string | null, text: string, signal: AbortSignal): Promise<ChunkSearch['vector']> {
    const model = model_id === null ? null : this.#options.models.find(model_id);
    if (model_id === null || model === null) return null;
    return this.#unlessFails(signal, async (bounded) => {
      const [values] = (await model.embed([text], bounded)).vectors;
      return values === undefined ? null : { model_id, values };
    });
  }

  /** Null: there is no model for it, or it failed. */
  async #reranked(
    { query_text, top_k }: KnowledgeQuery,
    ranked: readonly RankedChunk[],
    signal: AbortSignal,
  ): Promise<RankedChunk[] | null> {
    const { rerank } = this.#options.config();
    const model = rerank === null ? null : this.#options.models.find(rerank);
    if (model === null || ranked.length < 2) return null;
    const candidates = ranked.slice(0, limits.rerank_documents);
    const texts = candidates.map(({ row }) => row.content.slice(0, limits.rerank_chars));
    return this.#unlessFails(signal, async (bounded) => {
      const order = await model.rerank(query_text, texts, Math.min(top_k, texts.length), bounded);
      return order
        .flatMap(({ index, relevance_score }) => {
          const candidate = candidates[index];
          return candidate === undefined ? [] : [{ row: candidate.row, score: relevance_score }];
        })
        .sort((a, b) => b.score - a.score)
        .slice(0, top_k);
    });
  }

  /** Whoever searches waits for a model that is silent no longer than for one that fails. */
  async #unlessFails<T>(signal: AbortSignal, work: (bounded: AbortSignal) => Promise<T>): Promise<T | null> {
    const { clock, report } = this.#options;
    const bound = new AbortController();
    const callOff = clock.at(clock.now() + limits.knowledge_model, () => bound.abort(tooLate()));
    try {
      return await work(AbortSignal.any([signal, bound.signal]));
    } catch (error) {
      signal.throwIfAborted();
      const failure: unknown = bound.signal.aborted ? bound.signal.reason : error;
      if (!(failure instanceof ApiError)) throw failure;
      report(failure);
      return null;
    } finally {
      callOff();
    }
  }
}

function tooLate(): ApiError {
  return new ApiError(
    'deadline_exceeded',
    `A search does without a model that takes ${limits.knowledge_model / 1000} s.`,
  );
}
