import { ApiError } from '@rostra/protocol/wire/api-error';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { beforeEach, describe, expect, it } from 'vitest';
import { HybridRetriever, type HybridRetrieverOptions } from '../../../src/capabilities/knowledge/hybrid-retriever.ts';
import { fuseRanks } from '../../../src/capabilities/knowledge/ranking.ts';
import type { RankedDocument } from '../../../src/capabilities/models/model.ts';
import { MemoryStore } from '../../../src/store/memory/memory-store.ts';
import { ManualClock } from '../../manual-clock.ts';
import { baseRow, chunksOf, documentRow, index } from '../../store/ports/knowledge-rows.ts';

const texts = [
  'A cat sleeps on the mat.',
  'A kitten naps on a rug.',
  'The invoice is due in May.',
  '请款单将于五月到期。',
];
/** Cats look one way, invoices the other. */
const meanings = [
  [1, 0.1],
  [1, 0],
  [0, 1],
  [0.1, 1],
];

const down = new ApiError('runtime_error', 'It is down.', { details: { reason: 'MODEL_UNREACHABLE' } });

class World {
  readonly store = new MemoryStore();
  readonly reported: unknown[] = [];
  readonly embedded: string[] = [];
  readonly clock = new ManualClock();
  meaning: number[] | ApiError = [1, 0];
  isSilent = false;
  rerank: string | null = null;
  order: RankedDocument[] | ApiError = [];
  readonly models: HybridRetrieverOptions['models'] = {
    find: (model_id) =>
      model_id === 'unknown'
        ? null
        : {
            embed: async (wanted, signal) => {
              if (this.isSilent) await new Promise((_, reject) => signal.addEventListener('abort', reject));
              if (this.meaning instanceof ApiError) throw this.meaning;
              this.embedded.push(...wanted);
              return { vectors: [Float32Array.from(this.meaning)], usage: null };
            },
            rerank: async () => {
              if (this.order instanceof ApiError) throw this.order;
              return this.order;
            },
          },
  };
  readonly retriever = new HybridRetriever({
    knowledge: this.store.knowledge,
    models: this.models,
    config: () => ({ rerank: this.rerank }),
    clock: this.clock,
    report: (failure) => this.reported.push(failure),
  });

  async base(embedding_model: string | null): Promise<void> {
    const { knowledge } = this.store;
    await knowledge.putBase(baseRow('kb', { embedding_model }));
    await knowledge.putDocument(documentRow('kb', 'doc', { metadata: { topic: 'all', document_id: 'forged' } }));
    const [first, second, ...rest] = chunksOf(texts, embedding_model === null ? [] : meanings);
    if (first === undefined || second === undefined) throw new Error('no chunks');
    const headed = { ...second, page: null, heading: 'Animals › Young' };
    await index(knowledge, 'doc', [first, headed, ...rest], embedding_model);
  }

  async found(query_text: string, top_k = 5, filters: JsonObject = {}): Promise<string[]> {
    const query = { kb_id: 'kb', query_text, top_k, filters };
    return (await this.retriever.retrieve(query, live)).map(({ content }) => content);
  }
}

const live = new AbortController().signal;

describe('retrieval', () => {
  let world: World;
  beforeEach(() => {
    world = new World();
  });

  it('finds by words alone where a base has no vectors', async () => {
    await world.base(null);
    expect(await world.found('kitten')).toEqual([texts[1]]);
    expect(await world.found('五月到期')).toEqual([texts[3]]);
    expect(world.embedded).toEqual([]);
  });

  it('finds by meaning what shares no word with the question, and puts first what both find', async () => {
    await world.base('embedder');
    expect((await world.found('feline animal', 2)).sort()).toEqual([texts[0], texts[1]].sort());
    expect(await world.found('kitten', 1)).toEqual([texts[1]]);
    expect(world.embedded).toEqual(['feline animal', 'kitten']);
  });

  it('gives with each chunk where it stands, and the document cannot say otherwise', async () => {
    await world.base(null);
    const of = (query_text: string) =>
      world.retriever.retrieve({ kb_id: 'kb', query_text, top_k: 1, filters: {} }, live);
    const [young] = await of('kitten');
    expect(young).toMatchObject({ source: 'doc.txt › Animals › Young', score: 1 });
    const [paged] = await of('invoice');
    expect(paged).toMatchObject({
      source: 'doc.txt, page 3',
      metadata: { topic: 'all', document_id: 'doc', document_name: 'doc.txt', page: 3, position: 2 },
    });
    expect(paged?.chunk_id).toMatch(/^doc\.\d+\.2$/);
  });

  it('a model puts what was found into its own order', async () => {
    await world.base('embedder');
    world.rerank = 'ranker';
    world.order = [
      { index: 1, relevance_score: 0.2 },
      { index: 3, relevance_score: 0.9 },
      { index: 99, relevance_score: 1 },
    ];
    const plain = new World();
    await plain.base('embedder');
    const before = await plain.found('kitten', 4);
    expect(await world.found('kitten', 4)).toEqual([before[3], before[1]]);
    world.rerank = 'unknown';
    expect(await world.found('kitten', 4)).toEqual(before);
  });

  it('a model that fails makes the answer poorer, is told of, and does not take the answer away', async () => {
    await world.base('embedder');
    world.meaning = down;
    expect(await world.found('kitten')).toEqual([texts[1]]);
    world.meaning = [1, 0];
    world.rerank = 'ranker';
    world.order = down;
    expect((await world.found('kitten'))[0]).toBe(texts[1]);
    expect(world.reported).toEqual([down, down]);
  });

  it('a model that says nothing is waited for no longer than a search may take, and told of', async () => {
    await world.base('embedder');
    world.isSilent = true;
    const asked = world.found('kitten');
    await expect.poll(() => world.clock.armed).toBe(1);
    world.clock.advance(limits.knowledge_model);
    expect(await asked).toEqual([texts[1]]);
    expect(world.reported).toMatchObject([{ code: 'deadline_exceeded' }]);
    expect(world.clock.armed).toBe(0);
  });

  it('whoever waits no more gets no poorer answer either', async () => {
    await world.base('embedder');
    world.meaning = down;
    const gone = new ApiError('deadline_exceeded', 'over');
    const asked = world.retriever.retrieve(
      { kb_id: 'kb', query_text: 'kitten', top_k: 1, filters: {} },
      AbortSignal.abort(gone),
    );
    await expect(asked).rejects.toBe(gone);
    expect(world.reported).toEqual([]);
  });

  it('vectors of a model that is gone are not compared', async () => {
    await world.base('unknown');
    expect(await world.found('feline')).toEqual([]);
    expect(await world.found('kitten')).toEqual([texts[1]]);
  });

  it('filters by metadata and by documents, and refuses any other filter', async () => {
    await world.base(null);
    expect(await world.found('kitten', 5, { topic: 'all' })).toHaveLength(1);
    expect(await world.found('kitten', 5, { topic: 'none' })).toEqual([]);
    expect(await world.found('kitten', 5, { document_id: 'doc' })).toHaveLength(1);
    expect(await world.found('kitten', 5, { document_id: ['x', 'doc'], document_name: 'doc.txt' })).toHaveLength(1);
    expect(await world.found('kitten', 5, { document_name: [] })).toEqual([]);
    const others: JsonObject[] = [
      { topic: { $ne: 'all' } },
      { topic: ['all'] },
      { topic: null },
      { document_id: 1 },
      { document_name: ['a', 2] },
      Object.fromEntries(Array.from({ length: 33 }, (_, n) => [`k${n}`, n])),
    ];
    for (const filters of others) {
      await expect(world.found('kitten', 5, filters)).rejects.toMatchObject({ code: 'invalid_argument' });
    }
  });

  it('a base that is not there is not found', async () => {
    await expect(world.found('kitten')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('fused ranks', () => {
  it('what stands high in several lists comes before what is first in one', () => {
    const fused = fuseRanks([
      ['a', 'b', 'c'],
      ['d', 'b'],
    ]);
    expect(fused.map(({ id }) => id)).toEqual(['b', 'a', 'd', 'c']);
    expect(fuseRanks([['a'], ['a']])).toEqual([{ id: 'a', score: 1 }]);
  });
});
