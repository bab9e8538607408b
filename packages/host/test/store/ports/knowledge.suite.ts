import { limits } from '@rostra/protocol/wire/limits';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HostStore } from '../../../src/store/host-store.ts';
import type { DocumentPass, KnowledgeStore } from '../../../src/store/ports/knowledge.ts';
import { newArtifact } from './artifact.suite.ts';
import { baseRow, chunksOf, documentRow, index, searchFor, textsOf } from './knowledge-rows.ts';

const later = Date.now() + 2 * limits.orphan_age;

/** The contract of documents and of the passes that make them findable. */
export function describeKnowledge(open: () => Promise<HostStore>): void {
  describe('knowledge', () => {
    let store: HostStore;
    let knowledge: KnowledgeStore;
    beforeAll(async () => {
      store = await open();
      knowledge = store.knowledge;
    });

    async function add(kb_id: string, ...document_ids: string[]): Promise<void> {
      await knowledge.putBase(baseRow(kb_id));
      for (const document_id of document_ids) await knowledge.putDocument(documentRow(kb_id, document_id));
    }
    const found = (kb_id: string, words: string) => textsOf(knowledge, searchFor(kb_id, { words }));

    it('keeps bases by workspace and name, with what they hold', async () => {
      await knowledge.putBase(baseRow('b-late', { workspace_id: 'two', name: 'Late' }));
      await knowledge.putBase(baseRow('b-early', { workspace_id: 'two', name: 'Early' }));
      await knowledge.putDocument(documentRow('b-late', 'counted'));
      await index(knowledge, 'counted', chunksOf(['one', 'two']));
      const changed = { name: 'Earliest', description: 'Of all.', updated_at: 9 };
      expect(await knowledge.changeBase('b-early', changed)).toBe(true);
      expect(await knowledge.putBase(baseRow('b-early', { workspace_id: 'elsewhere' }))).toBe(false);
      expect(await knowledge.changeBase('nothing', changed)).toBe(false);
      expect(await knowledge.bases('two')).toEqual([
        { ...baseRow('b-early', { ...changed, workspace_id: 'two' }), documents: 0, chunks: 0 },
        { ...baseRow('b-late', { workspace_id: 'two', name: 'Late' }), documents: 1, chunks: 2 },
      ]);
      expect(await knowledge.base('nothing')).toBeNull();
      expect(await knowledge.bases('elsewhere')).toEqual([]);
    });

    it('keeps documents and pages through them, the newest first', async () => {
      await add('paged', 'p1', 'p2', 'p3');
      expect(await knowledge.document('p2')).toEqual(documentRow('paged', 'p2'));
      const first = await knowledge.documents('paged', { limit: 2 });
      expect([first.rows.map(({ document_id }) => document_id), first.has_more]).toEqual([['p3', 'p2'], true]);
      const second = await knowledge.documents('paged', { limit: 2, before: 'p2' });
      expect([second.rows.map(({ document_id }) => document_id), second.has_more]).toEqual([['p1'], false]);
      await knowledge.deleteDocument('p2');
      expect(await knowledge.documents('paged', { limit: 2, before: 'p2' })).toEqual(second);
      await expect(knowledge.putDocument(documentRow('paged', 'p1'))).rejects.toMatchObject({
        details: { reason: 'STORE_DUPLICATE' },
      });
      await expect(knowledge.putDocument(documentRow('nowhere', 'p4'))).rejects.toMatchObject({ code: 'not_found' });
    });

    it('knows what is not finished, and why something failed', async () => {
      await add('work', 'waits', 'works', 'fails');
      await knowledge.changeDocument('works', { status: 'indexing', done: 3, total: 9, updated_at: 5 });
      const problem = { reason: 'DOCUMENT_UNREADABLE', message: 'It is no PDF.', hint: null };
      await knowledge.changeDocument('fails', { status: 'failed', problem, updated_at: 6 });
      const unfinished = (await knowledge.unfinished()).filter(({ kb_id }) => kb_id === 'work');
      expect(unfinished).toEqual([
        documentRow('work', 'waits'),
        documentRow('work', 'works', { status: 'indexing', done: 3, total: 9, updated_at: 5 }),
      ]);
      expect(await knowledge.document('fails')).toMatchObject({ status: 'failed', problem, updated_at: 6 });
      expect(await knowledge.changeDocument('nothing', { updated_at: 1 })).toBe(false);
    });

    it('what is indexed anew is found as it was until the new pass is published, and then only as it is', async () => {
      await add('anew', 'doc');
      const first = await knowledge.begin('doc', null);
      expect(await knowledge.addChunks('doc', first ?? 0, chunksOf(['the old text']))).toBe(true);
      expect(await found('anew', 'text')).toEqual([]);
      expect(await knowledge.publish('doc', first ?? 0, 7)).toBe(true);
      expect(await found('anew', 'text')).toEqual(['the old text']);
      expect(await knowledge.document('doc')).toMatchObject({
        status: 'ready',
        generation: first,
        chunks: 1,
        updated_at: 7,
      });
      const second = await knowledge.begin('doc', null);
      await knowledge.addChunks('doc', second ?? 0, chunksOf(['a new text', 'and more text']));
      expect(await found('anew', 'text')).toEqual(['the old text']);
      await knowledge.publish('doc', second ?? 0, 8);
      expect(new Set(await found('anew', 'text'))).toEqual(new Set(['a new text', 'and more text']));
      expect(await knowledge.base('anew')).toMatchObject({ documents: 1, chunks: 2 });
      while (await knowledge.sweep());
      expect(await found('anew', 'text')).toHaveLength(2);
      expect(await found('anew', 'old')).toEqual([]);
    });

    it('a pass that another one has followed writes and publishes nothing, nor does one of a deleted document', async () => {
      await add('passes', 'doc-2', 'doc-3');
      const first = (await knowledge.begin('doc-2', null)) ?? 0;
      await knowledge.addChunks('doc-2', first, chunksOf(['abandoned']));
      const second = (await knowledge.begin('doc-2', null)) ?? 0;
      expect(await knowledge.addChunks('doc-2', first, chunksOf(['late']))).toBe(false);
      expect(await knowledge.publish('doc-2', first, 1)).toBe(false);
      expect(await knowledge.addChunks('doc-3', second, chunksOf(['of another']))).toBe(false);
      expect(await knowledge.addChunks('doc-2', second, chunksOf(['current']))).toBe(true);
      expect(await knowledge.publish('doc-2', second, 1)).toBe(true);
      expect(await knowledge.publish('doc-2', second, 1)).toBe(false);
      const third = (await knowledge.begin('doc-2', null)) ?? 0;
      expect(await knowledge.deleteDocument('doc-2')).toBe(true);
      expect(await knowledge.addChunks('doc-2', third, chunksOf(['too late']))).toBe(false);
      expect(await knowledge.begin('doc-2', null)).toBeNull();
      expect(await found('passes', 'current abandoned late')).toEqual([]);
    });

    it('the passes of a base and the model of their vectors are published together, without what is gone', async () => {
      await add('moved', 'm1', 'm2');
      for (const id of ['m1', 'm2']) await index(knowledge, id, chunksOf([`${id} old`]), null);
      const passes: DocumentPass[] = [];
      for (const document_id of ['m1', 'm2']) {
        const generation = (await knowledge.begin(document_id, 'e')) ?? 0;
        await knowledge.addChunks(document_id, generation, chunksOf([`${document_id} new`], [[1, 0]]));
        passes.push({ document_id, generation });
      }
      await knowledge.deleteDocument('m2');
      expect(await knowledge.publishBase('nothing', 'e', passes, 7)).toBe(false);
      expect(await found('moved', 'm1')).toEqual(['m1 old']);
      expect(await knowledge.publishBase('moved', 'e', passes, 7)).toBe(true);
      expect(await knowledge.base('moved')).toMatchObject({ embedding_model: 'e', updated_at: 7, chunks: 1 });
      expect(await knowledge.document('m1')).toMatchObject({ status: 'ready', updated_at: 7 });
      const vector = { model_id: 'e', values: Float32Array.from([1, 0]) };
      expect(await textsOf(knowledge, searchFor('moved', { vector }))).toEqual(['m1 new']);
    });

    it('a pass that failed is forgotten, and what was found before stays', async () => {
      await add('fault', 'doc-4');
      await index(knowledge, 'doc-4', chunksOf(['well known']));
      const broken = (await knowledge.begin('doc-4', null)) ?? 0;
      await knowledge.addChunks('doc-4', broken, chunksOf(['half known']));
      await knowledge.changeDocument('doc-4', { status: 'failed', updated_at: 3 });
      expect(await knowledge.addChunks('doc-4', broken, chunksOf(['more']))).toBe(false);
      while (await knowledge.sweep());
      expect(await found('fault', 'known')).toEqual(['well known']);
    });

    it('takes many chunks at once, and each place of a pass once', async () => {
      await add('many', 'doc-5');
      const texts = Array.from({ length: limits.knowledge_step_chunks * 3 + 1 }, (_, n) => `number${n} counts`);
      await index(knowledge, 'doc-5', chunksOf(texts));
      expect(await knowledge.document('doc-5')).toMatchObject({ chunks: texts.length });
      expect(await found('many', `number${texts.length - 1}`)).toEqual([texts.at(-1)]);
      const again = (await knowledge.begin('doc-5', null)) ?? 0;
      const twice = [...chunksOf(['one']), ...chunksOf(['two'])];
      await expect(knowledge.addChunks('doc-5', again, twice)).rejects.toMatchObject({
        details: { reason: 'STORE_DUPLICATE' },
      });
      const beyond = chunksOf(['one']).map((chunk) => ({ ...chunk, position: limits.document_chunks }));
      await expect(knowledge.addChunks('doc-5', again, beyond)).rejects.toMatchObject({ code: 'payload_too_large' });
    });

    it('a document without any text can be published', async () => {
      await add('empty', 'doc-6');
      await index(knowledge, 'doc-6', []);
      expect(await knowledge.document('doc-6')).toMatchObject({ status: 'ready', chunks: 0 });
    });

    it('a deleted base is gone with all it held, and another of its name has nothing of that', async () => {
      await add('reborn', 'doc-7');
      await index(knowledge, 'doc-7', chunksOf(['remains']));
      expect(await knowledge.deleteBase('reborn')).toBe(true);
      expect(await knowledge.deleteBase('reborn')).toBe(false);
      expect(await knowledge.document('doc-7')).toBeNull();
      expect((await knowledge.unfinished()).filter(({ kb_id }) => kb_id === 'reborn')).toEqual([]);
      expect(await found('reborn', 'remains')).toEqual([]);
      await knowledge.putBase(baseRow('reborn'));
      expect(await found('reborn', 'remains')).toEqual([]);
      expect(await knowledge.base('reborn')).toMatchObject({ documents: 0, chunks: 0 });
      while (await knowledge.sweep());
      await add('reborn', 'doc-8');
      await index(knowledge, 'doc-8', chunksOf(['remains again']));
      expect(await found('reborn', 'remains')).toEqual(['remains again']);
    });

    it('no retention removes the file of a document before the document, and none keeps it after', async () => {
      await add('files', 'doc-9', 'doc-10');
      const sweep = async () => {
        while (await knowledge.sweep());
        while ((await store.artifacts.sweep(later, later)).more);
      };
      const made = { session_id: null, agent_id: null, run_id: null, created_at: 1, expires_at: 2 };
      const file = (id: string) => store.artifacts.get(`file of ${id}`, later);
      for (const id of ['doc-11', 'doc-12', 'nobody']) {
        await store.artifacts.create(newArtifact(`file of ${id}`, made), new Uint8Array(Buffer.from(id)));
      }
      await knowledge.putDocument(documentRow('files', 'doc-11'));
      await knowledge.putBase(baseRow('files-2'));
      await knowledge.putDocument(documentRow('files-2', 'doc-12'));
      await sweep();
      expect([await file('doc-11'), await file('doc-12')]).toMatchObject([{ expires_at: null }, { expires_at: null }]);
      const bytes = await store.artifacts.read('file of doc-11', { offset: 0, length: 9 }, later);
      expect(Buffer.from(bytes ?? []).toString()).toBe('doc-11');
      expect(await file('nobody')).toBeNull();
      await knowledge.deleteDocument('doc-11');
      await knowledge.deleteBase('files-2');
      await sweep();
      expect([await file('doc-11'), await file('doc-12')]).toEqual([null, null]);
    });
  });
}
