import type { JsonObject } from '@rostra/protocol/wire/json';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import type { ChunkFilter, KnowledgeStore } from '../../../src/store/ports/knowledge.ts';
import { baseRow, chunksOf, documentRow, index, searchFor, textsOf } from './knowledge-rows.ts';

const guide = [
  '保修期为购买之日起二十四个月，不包括电池。',
  'データベースの接続情報は設定ファイルにあります。',
  'The warranty lasts two years. The battery is not covered by the warranty.',
  'Return the device in its box within thirty days.',
  '보증 기간은 2년입니다',
  'The box contains a device, a cable and a battery.',
];

/** The contract of finding chunks, by words and by vectors. */
export function describeKnowledgeSearch(open: () => Promise<HostStore>): void {
  describe('search in documents', () => {
    let knowledge: KnowledgeStore;
    beforeAll(async () => {
      knowledge = (await open()).knowledge;
      for (const kb_id of ['guides', 'others', 'vectors']) await knowledge.putBase(baseRow(kb_id));
      await knowledge.putDocument(
        documentRow('guides', 'guide', { metadata: { lang: 'all', year: 2026, draft: false } }),
      );
      await index(knowledge, 'guide', chunksOf(guide));
      const other = { name: 'old guide.pdf', metadata: { lang: 'en', year: 1, 'a"b': 'x', draft: true, tags: ['a'] } };
      await knowledge.putDocument(documentRow('guides', 'old', other));
      const [titled, ...rest] = chunksOf(['An old warranty of one year.', 'Nothing else.']);
      if (titled === undefined) throw new Error('no chunk');
      await index(knowledge, 'old', [{ ...titled, heading: 'Sales › Refunds' }, ...rest]);
      await knowledge.putDocument(documentRow('others', 'secret'));
      await index(knowledge, 'secret', chunksOf(['The warranty of somebody else']));
      await knowledge.putDocument(documentRow('vectors', 'v-doc'));
      const embeddings = [
        [1, 0, 0],
        [0.9, 0.1, 0],
        [0, 1, 0],
        [0, 0, 0],
        [1, 0],
      ];
      await index(knowledge, 'v-doc', chunksOf(['east', 'nearly east', 'north', 'nowhere', 'flat'], embeddings), 'm');
      await knowledge.putDocument(documentRow('vectors', 'w-doc'));
      await index(knowledge, 'w-doc', chunksOf(['east of another model'], [[1, 0, 0]]), 'n');
    });
    const found = (words: string, filter: Partial<ChunkFilter> = {}, limit = 10) =>
      textsOf(knowledge, searchFor('guides', { words, filter, limit }));

    it('finds Chinese, Japanese and Korean by pairs of characters', async () => {
      expect((await found('电池的保修期有多长？'))[0]).toBe(guide[0]);
      expect((await found('接続情報はどこですか'))[0]).toBe(guide[1]);
      expect((await found('보증 기간'))[0]).toBe(guide[4]);
      expect(await found('址')).toEqual([]);
    });

    it('ranks by how many, how rare and how often', async () => {
      expect((await found('battery warranty'))[0]).toBe(guide[2]);
      expect(await found('battery')).toEqual([guide[5], guide[2]]);
      expect(await found('battery', {}, 1)).toEqual([guide[5]]);
      expect(await found('WÄRRANTY')).toHaveLength(2);
    });

    it('finds a chunk by the headings above it', async () => {
      expect(await found('refunds')).toEqual(['An old warranty of one year.']);
    });

    it('gives with each match where it stands', async () => {
      const { words, vectors, chunks } = await knowledge.find(searchFor('guides', { words: 'refunds' }));
      expect(vectors).toEqual([]);
      expect(chunks).toEqual([
        {
          chunk_id: words[0]?.chunk_id,
          position: 0,
          content: 'An old warranty of one year.',
          page: 1,
          heading: 'Sales › Refunds',
          document_id: 'old',
          document_name: 'old guide.pdf',
          metadata: { lang: 'en', year: 1, 'a"b': 'x', draft: true, tags: ['a'] },
        },
      ]);
      expect(words[0]?.score).toBeGreaterThan(0);
    });

    it('stays within its base', async () => {
      expect(await found('somebody')).toEqual([]);
      expect(await textsOf(knowledge, searchFor('nothing', { words: 'warranty' }))).toEqual([]);
    });

    it.each(['"', '* OR *', 'NOT battery', 'words:x', '(', "'; DROP TABLE knowledge_chunk--"])(
      'what means something to a database means nothing in a query: %s',
      async (query) => {
        const all = await found(query);
        expect(all).toHaveLength(query.includes('battery') ? 2 : 0);
      },
    );

    it.each<[JsonObject, number]>([
      [{}, 2],
      [{ lang: 'en' }, 1],
      [{ year: 2026 }, 1],
      [{ year: '2026' }, 0],
      [{ draft: true }, 1],
      [{ draft: false }, 1],
      [{ draft: 1 }, 0],
      [{ year: true }, 0],
      [{ 'a"b': 'x' }, 1],
      [{ lang: 'en', year: 2026 }, 0],
      [{ missing: 'x' }, 0],
      [{ missing: null }, 0],
      [{ tags: 'a' }, 0],
      [{ "x') OR 1=1--": 'x' }, 0],
    ])('finds in documents with the metadata %j', async (metadata, count) => {
      expect(await found('warranty', { metadata })).toHaveLength(count);
    });

    it('finds in the documents that are named', async () => {
      expect(await found('warranty', { document_ids: ['old'] })).toEqual(['An old warranty of one year.']);
      expect(await found('warranty', { document_names: ['guide.txt', 'nothing'] })).toEqual([guide[2]]);
      expect(await found('warranty', { document_ids: ['old'], document_names: ['guide.txt'] })).toEqual([]);
      expect(await found('warranty', { document_ids: ['secret'] })).toEqual([]);
      expect(await found('warranty', { document_ids: [] })).toEqual([]);
    });

    it('finds by vectors of the same model and length, the nearest first', async () => {
      const near = (values: number[], model_id = 'm') => {
        const vector = { model_id, values: Float32Array.from(values) };
        return textsOf(knowledge, searchFor('vectors', { vector }));
      };
      expect(await near([1, 0, 0])).toEqual(['east', 'nearly east', 'north']);
      expect(await near([0.1, 3, 0])).toEqual(['north', 'nearly east', 'east']);
      expect(await near([1, 0, 0], 'n')).toEqual(['east of another model']);
      expect(await near([1, 0, 0], 'unknown')).toEqual([]);
      expect(await near([1, 0])).toEqual(['flat']);
      expect(await near([1, 0, 0, 0])).toEqual([]);
      const vector = { model_id: 'm', values: Float32Array.from([1, 0, 0]) };
      const both = await knowledge.find(searchFor('vectors', { words: 'north', vector, limit: 2 }));
      expect([both.words.length, both.vectors.length, both.chunks.length]).toEqual([1, 2, 3]);
      expect(both.vectors[0]?.score).toBeCloseTo(1);
    });
  });
}
