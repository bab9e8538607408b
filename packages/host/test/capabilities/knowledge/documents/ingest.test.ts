import { afterEach, beforeEach, expect, test } from 'vitest';
import { Ingest } from '../../../../src/capabilities/knowledge/documents/ingest.ts';
import { programs } from '../../../../src/main/programs.ts';
import { MemoryStore } from '../../../../src/store/memory/memory-store.ts';
import type { KnowledgeStore } from '../../../../src/store/ports/knowledge.ts';
import { KnowledgeWorld, LetterModel, owner } from './knowledge-world.ts';

let store: MemoryStore;
let world: KnowledgeWorld;

beforeEach(async () => {
  store = new MemoryStore();
  world = new KnowledgeWorld(store);
  await world.desk.create(owner, { id: 'handbook', description: '' });
});

afterEach(async () => {
  await world.desk.stop();
  expect(world.faults).toEqual([]);
});

/** Two documents found by words, and a model whose answers wait until they are let go. */
async function twoDocuments(): Promise<{ model: LetterModel; open: () => void; ids: string[] }> {
  const ids = [(await world.add('The gate opens at six.')).id, (await world.add('Fees are due in May.')).id];
  await world.desk.idle();
  const model = new LetterModel();
  let open: () => void = () => undefined;
  model.gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  world.models.set('letters', model);
  world.embedding = 'letters';
  return { model, open, ids };
}

/** The store of the world from here on, with some of its calls made otherwise. */
function remake(calls: (knowledge: KnowledgeStore) => Partial<KnowledgeStore>): void {
  const { knowledge, artifacts } = store;
  world = new KnowledgeWorld({ artifacts, knowledge: { ...knowledge, ...calls(knowledge) } });
}

test('a host that ends before the new vectors are published has published none of them', async () => {
  const { open } = await twoDocuments();
  open();
  const { models } = world;
  remake(() => ({ publishBase: () => new Promise<never>(() => undefined) }));
  models.forEach((model, id) => {
    world.models.set(id, model);
  });
  world.embedding = 'letters';
  await world.desk.apply(owner.workspace_id);
  const passes = async () =>
    (await store.knowledge.unfinished()).filter(({ done, total }) => total > 0 && done === total);
  await expect.poll(async () => (await passes()).length).toBe(2);
  const values = Float32Array.from({ length: 27 }, () => 1);
  const vector = { model_id: 'letters', values };
  const filter = { kb_id: 'handbook', metadata: {} };
  expect((await store.knowledge.find({ filter, words: null, vector, limit: 5 })).vectors).toEqual([]);

  world = new KnowledgeWorld(store);
  await world.desk.apply(owner.workspace_id);
  await world.desk.idle();
  expect(await world.desk.get(owner, 'handbook')).toMatchObject({ embeddingModel: null, chunks: 2 });
  expect(await world.found('fees')).toEqual(['Fees are due in May.']);
});

test('a model that is taken back while its vectors are made is not the model of the base in the end', async () => {
  const { model, open } = await twoDocuments();
  await world.desk.apply(owner.workspace_id);
  await expect.poll(() => model.asked.length).toBe(1);
  world.embedding = null;
  await world.desk.apply(owner.workspace_id);
  open();
  await world.desk.idle();
  expect(await world.desk.get(owner, 'handbook')).toMatchObject({ embeddingModel: null, chunks: 2 });
});

test('a base that gets a name keeps the model that it got meanwhile, and one that was deleted stays so', async () => {
  const after = (act: (knowledge: KnowledgeStore) => Promise<unknown>) =>
    remake((knowledge) => ({
      base: async (kb_id) => {
        const row = await knowledge.base(kb_id);
        await act(knowledge);
        return row;
      },
    }));
  after((knowledge) => knowledge.publishBase('handbook', 'letters', [], 5));
  await world.desk.change(owner, 'handbook', { name: 'Rules' });
  expect(await store.knowledge.base('handbook')).toMatchObject({ name: 'Rules', embedding_model: 'letters' });
  after((knowledge) => knowledge.deleteBase('handbook'));
  await expect(world.desk.change(owner, 'handbook', { name: 'Laws' })).rejects.toMatchObject({ code: 'not_found' });
  expect(await store.knowledge.base('handbook')).toBeNull();
});

test('a base whose documents are all removed while another model reads them has that model', async () => {
  const { model, open, ids } = await twoDocuments();
  await world.desk.apply(owner.workspace_id);
  await expect.poll(() => model.asked.length).toBe(1);
  for (const id of ids) await world.desk.removeDocument(owner, 'handbook', id);
  open();
  await world.desk.idle();
  expect(await world.desk.get(owner, 'handbook')).toMatchObject({ embeddingModel: 'letters', documents: 0 });
});

test('what comes when the last work is just done is done, too', async () => {
  const row = (await store.knowledge.base('handbook'))!;
  await store.knowledge.putBase({ ...row, kb_id: 'late' });
  for (let ticks = 0; ticks < 20; ticks += 1) {
    const read: string[] = [];
    const ingest = new Ingest({
      ...{ artifacts: store.artifacts, clock: world.clock, program: programs.documentWorker },
      models: { find: () => null },
      failed: (error) => world.faults.push(error),
      knowledge: {
        ...store.knowledge,
        documents: async (kb_id, page) => {
          const found = await store.knowledge.documents(kb_id, page);
          read.push(kb_id);
          if (kb_id === 'handbook') void comesAfter(ticks, ingest);
          return found;
        },
      },
    });
    ingest.addBase('handbook', null);
    await expect.poll(() => read, { interval: 1 }).toEqual(['handbook', 'late']);
  }
});

async function comesAfter(ticks: number, ingest: Ingest): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await null;
  ingest.addBase('late', null);
}

test('two who make a base of one id at once make one', async () => {
  const both = [1, 2].map((n) => world.desk.create(owner, { id: 'twice', name: `Of ${n}`, description: '' }));
  const ended = await Promise.allSettled(both);
  expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(await world.desk.get(owner, 'twice')).toMatchObject({ name: 'Of 1' });
});
