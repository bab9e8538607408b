import { ApiError } from '@rostra/protocol/wire/api-error';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KnowledgeWorld, LetterModel, owner } from './knowledge-world.ts';
import { encrypted, pdf } from './sample-documents.ts';

let world: KnowledgeWorld;

beforeEach(async () => {
  world = new KnowledgeWorld();
  await world.desk.create(owner, { id: 'handbook', description: 'What we do.' });
});

afterEach(async () => {
  await world.desk.stop();
  expect(world.faults).toEqual([]);
});

/** Something that is waited for until a test lets go. */
function gate(): { wait: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { wait, open };
}

test('a document is found once it is indexed, and its row says how far that is', async () => {
  const added = await world.add('# Harbour\n\nThe gate opens at six.', { metadata: { year: 2026 } });
  expect(added).toMatchObject({ status: 'waiting', mimeType: 'text/markdown', chunks: 0, metadata: { year: 2026 } });
  await world.desk.idle();
  expect(await world.document(added.id)).toMatchObject({
    status: 'ready',
    done: 1,
    total: 1,
    chunks: 1,
    problem: null,
  });
  const search = { query: 'gate', topK: 5, filters: { year: 2026 } };
  const [match] = await world.desk.search(owner, 'handbook', search, new AbortController().signal);
  expect(match).toMatchObject({ content: '# Harbour\n\nThe gate opens at six.', metadata: { heading: 'Harbour' } });
  expect(await world.desk.get(owner, 'handbook')).toMatchObject({ documents: 1, chunks: 1 });
});

test('a chunk of a PDF tells its page', async () => {
  await world.add(pdf([['The gate opens at six.'], ['Fees are due in May.']]), { filename: 'rules.pdf' });
  await world.desk.idle();
  const search = { query: 'fees', topK: 5, filters: {} };
  const [match] = await world.desk.search(owner, 'handbook', search, new AbortController().signal);
  expect(match).toMatchObject({ content: 'Fees are due in May.', metadata: { page: 2, document_name: 'rules.pdf' } });
});

test('a document that cannot be read says why, and the next one is indexed', async () => {
  const bad = await world.add(encrypted, { filename: 'locked.pdf' });
  const good = await world.add('The gate opens at six.');
  await world.desk.idle();
  expect(await world.document(bad.id)).toMatchObject({
    status: 'failed',
    problem: { reason: 'DOCUMENT_UNREADABLE', message: 'locked.pdf is protected by a password.' },
  });
  expect((await world.document(good.id)).status).toBe('ready');
});

test.each([
  ['is no PDF', 'a.pdf', 'words'],
  ['is empty', 'a.md', ''],
  ['is no text', 'a.txt', Buffer.from([0, 1, 2, 3])],
])('a file that %s is refused before anything is kept', async (_, filename, content) => {
  const refusal = await world.add(content, { filename }).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({ code: 'invalid_argument', details: { reason: 'DOCUMENT_UNREADABLE' } });
  expect(await world.desk.get(owner, 'handbook')).toMatchObject({ documents: 0 });
});

test('the file of a document outlives every sweep, and goes with the document', async () => {
  const { id } = await world.add('The gate opens at six.');
  await world.desk.idle();
  const later = world.clock.now() + 10 * 365 * 24 * 60 * 60_000;
  await world.store.artifacts.sweep(later, later);
  await world.desk.reindex(owner, 'handbook');
  await world.desk.idle();
  expect((await world.document(id)).status).toBe('ready');
  const { artifact_id } = (await world.store.knowledge.document(id))!;
  await world.desk.removeDocument(owner, 'handbook', id);
  expect(await world.found('gate')).toEqual([]);
  await world.store.artifacts.sweep(later);
  expect(await world.store.artifacts.get(artifact_id, world.clock.now())).toBeNull();
});

test('a document that is removed while it is indexed leaves nothing', async () => {
  const { wait, open } = gate();
  const model = new LetterModel();
  model.gate = wait;
  world.models.set('letters', model);
  world.embedding = 'letters';
  await world.desk.reindex(owner, 'handbook');
  await world.desk.idle();
  const { id } = await world.add('The gate opens at six.');
  await expect.poll(() => model.asked.length).toBe(1);
  await world.desk.removeDocument(owner, 'handbook', id);
  open();
  await world.desk.idle();
  expect(await world.found('gate')).toEqual([]);
  expect(await world.desk.get(owner, 'handbook')).toMatchObject({ documents: 0, chunks: 0 });
});

test('what a host that ended was at work on is finished after the next start', async () => {
  const model = new LetterModel();
  model.gate = new Promise(() => undefined);
  world.models.set('letters', model);
  world.embedding = 'letters';
  await world.desk.apply(owner.workspace_id);
  await world.desk.idle();
  const [first, second] = [await world.add('The gate opens at six.'), await world.add('Fees are due in May.')];
  await expect.poll(() => model.asked.length).toBe(1);
  await world.desk.stop();
  expect((await world.document(first.id)).status).toBe('indexing');
  expect((await world.document(second.id)).status).toBe('waiting');

  model.gate = Promise.resolve();
  await world.open().apply(owner.workspace_id);
  await world.desk.idle();
  for (const { id } of [first, second]) expect((await world.document(id)).status).toBe('ready');
  expect(await world.desk.get(owner, 'handbook')).toMatchObject({ chunks: 2, embeddingModel: 'letters' });
});

test('another model for vectors: everything is found as before until all documents have its vectors', async () => {
  const first = await world.add('The gate opens at six.');
  await world.add('Fees are due in May.');
  await world.desk.idle();
  const { wait, open } = gate();
  const model = new LetterModel();
  world.models.set('letters', model);
  world.embedding = 'letters';
  model.gate = wait;
  await world.desk.apply(owner.workspace_id);
  await expect.poll(() => model.asked.length).toBe(1);
  expect(await world.found('gate')).toEqual(['The gate opens at six.']);
  expect(await world.desk.get(owner, 'handbook')).toMatchObject({ embeddingModel: null, chunks: 2 });
  expect((await world.document(first.id)).status).not.toBe('ready');
  // A change of something else in the configuration begins nothing anew.
  await world.desk.apply(owner.workspace_id);
  open();
  await world.desk.idle();
  expect(model.asked).toHaveLength(2);
  expect(await world.desk.get(owner, 'handbook')).toMatchObject({ embeddingModel: 'letters', chunks: 2 });
  expect((await world.document(first.id)).status).toBe('ready');
  expect(await world.found('gatte')).toContain('The gate opens at six.');
});

test('a model that refuses fails the document in its own words, and what was found stays found', async () => {
  const { id } = await world.add('The gate opens at six.');
  await world.desk.idle();
  const model = new LetterModel();
  model.failure = new ApiError('runtime_error', 'OpenAI refused the key (401).', {
    details: { reason: 'MODEL_KEY_REFUSED', hint: 'Check OPENAI_API_KEY.' },
  });
  world.models.set('letters', model);
  world.embedding = 'letters';
  await world.desk.reindex(owner, 'handbook');
  await world.desk.idle();
  expect(await world.document(id)).toMatchObject({
    status: 'failed',
    chunks: 1,
    problem: { reason: 'MODEL_KEY_REFUSED', message: 'OpenAI refused the key (401).', hint: 'Check OPENAI_API_KEY.' },
  });
  expect((await world.desk.get(owner, 'handbook')).embeddingModel).toBeNull();
  expect(
    await world.store.knowledge.find({
      filter: { kb_id: 'handbook', metadata: {} },
      words: 'gate',
      vector: null,
      limit: 5,
    }),
  ).toMatchObject({ chunks: [{ content: 'The gate opens at six.' }] });
});

test('a model that is not there is named by the document that needs it', async () => {
  world.embedding = 'nowhere';
  await world.desk.create(owner, { id: 'other', description: '' });
  async function* content() {
    yield Buffer.from('words');
  }
  const file = { filename: 'a.txt', content_type: null, content: content(), metadata: {} };
  const { id } = await world.desk.add(owner, 'other', file);
  await world.desk.idle();
  expect((await world.desk.document(owner, 'other', id)).problem).toMatchObject({ reason: 'MODEL_NOT_FOUND' });
});

test('a base is seen in its own workspace only', async () => {
  const other = { workspace_id: 'elsewhere' };
  expect(await world.desk.list(other)).toEqual([]);
  for (const act of [
    () => world.desk.get(other, 'handbook'),
    () => world.desk.remove(other, 'handbook'),
    () => world.desk.reindex(other, 'handbook'),
    () => world.desk.documents(other, 'handbook', {}),
  ]) {
    await expect(act()).rejects.toMatchObject({ code: 'not_found' });
  }
});

test('an id is given once, and whoever offers bases hears of every change', async () => {
  expect(world.changes).toBe(1);
  await expect(world.desk.create(owner, { id: 'handbook', description: '' })).rejects.toMatchObject({
    details: { reason: 'KNOWLEDGE_BASE_EXISTS' },
  });
  await world.desk.change(owner, 'handbook', { name: 'Handbook' });
  expect(await world.desk.get(owner, 'handbook')).toMatchObject({ name: 'Handbook', description: 'What we do.' });
  await world.desk.remove(owner, 'handbook');
  expect(world.changes).toBe(3);
  await expect(world.desk.get(owner, 'handbook')).rejects.toMatchObject({ code: 'not_found' });
});

test('documents are listed page by page, the newest first', async () => {
  const ids: string[] = [];
  for (const name of ['1', '2', '3']) ids.unshift((await world.add(name, { filename: `${name}.txt` })).id);
  const first = await world.desk.documents(owner, 'handbook', { limit: 2 });
  expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  const second = await world.desk.documents(owner, 'handbook', { limit: 2, cursor: first.nextCursor! });
  expect(second).toMatchObject({ items: [{ id: ids[2] }], nextCursor: null });
});
