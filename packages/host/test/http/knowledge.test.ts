import { AccessKey } from '@rostra/protocol/config/entry-config';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { knowledgeRoutes } from '../../src/http/routes/knowledge.ts';
import { KnowledgeWorld } from '../capabilities/knowledge/documents/knowledge-world.ts';
import { pdf } from '../capabilities/knowledge/documents/sample-documents.ts';
import { KEY, TestHost } from './test-host.ts';

const FILE_BYTES = 100_000;
const runsKey = AccessKey.parse({ name: 'ann', key: 'key-of-ann-0123456789', scopes: ['runs'], user: 'ann' });
const world = new KnowledgeWorld();
const acts: unknown[] = [];
let host: TestHost;

beforeAll(async () => {
  host = await TestHost.start({}, {}, [runsKey]);
  host.more = knowledgeRoutes({
    knowledge: world.desk,
    clock: host.clock,
    artifact_bytes: () => FILE_BYTES,
    acted: (_, action, resource) => acts.push([action, resource]),
  });
});

afterAll(async () => {
  await world.desk.stop();
  await host.stop();
  expect(world.faults).toEqual([]);
});

interface Sent {
  method?: string;
  body?: unknown;
  key?: string;
}

async function ask(path: string, { method = 'GET', body, key = KEY }: Sent = {}) {
  const headers: Record<string, string> = { authorization: `Bearer ${key}` };
  const init: RequestInit = { method, headers };
  if (body instanceof FormData) init.body = body;
  else if (body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  const response = await fetch(`http://127.0.0.1:${host.port}/api/v1/knowledge${path}`, init);
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

function form(content: Buffer | string, filename: string): FormData {
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(Buffer.from(content))]), filename);
  return body;
}

test('a base is made, filled, searched and deleted', async () => {
  const made = await ask('', { method: 'POST', body: { id: 'harbour', description: 'Rules' } });
  expect(made).toMatchObject({ status: 201, body: { id: 'harbour', name: 'harbour', documents: 0 } });
  expect((await ask('', { method: 'POST', body: { id: 'harbour' } })).status).toBe(409);

  const query = `?metadata=${encodeURIComponent('{"year":2026}')}`;
  const file = form(pdf([['The gate opens at six.'], ['Fees are due in May.']]), '../rules.pdf');
  const added = await ask(`/harbour/documents${query}`, { method: 'POST', body: file });
  expect(added).toMatchObject({
    status: 202,
    body: { name: 'rules.pdf', status: 'waiting', mimeType: 'application/pdf', metadata: { year: 2026 } },
  });
  await world.desk.idle();
  const path = `/harbour/documents/${added.body.id}`;
  expect(await ask(path)).toMatchObject({ status: 200, body: { status: 'ready', chunks: 2, done: 2, total: 2 } });
  expect((await ask('/harbour/documents')).body.items).toHaveLength(1);

  const found = await ask('/harbour/search', { method: 'POST', body: { query: 'fees', filters: { year: 2026 } } });
  expect(found).toMatchObject({
    status: 200,
    body: { items: [{ content: 'Fees are due in May.', metadata: { page: 2 } }] },
  });

  expect((await ask('/harbour/reindex', { method: 'POST' })).status).toBe(202);
  await world.desk.idle();
  expect((await ask(path, { method: 'DELETE' })).status).toBe(204);
  expect((await ask(path)).status).toBe(404);
  expect((await ask('/harbour', { method: 'DELETE' })).status).toBe(204);
  expect((await ask('/harbour')).status).toBe(404);
  expect(acts).toEqual([
    ['knowledge.create', 'harbour'],
    ['knowledge.add', 'harbour'],
    ['knowledge.reindex', 'harbour'],
    ['knowledge.remove', 'harbour'],
    ['knowledge.delete', 'harbour'],
  ]);
});

test('a file that is not what it says is refused with 422 and a sentence', async () => {
  await ask('', { method: 'POST', body: { id: 'bad' } });
  const { status, body } = await ask('/bad/documents', { method: 'POST', body: form('a poem', 'a.pdf') });
  expect(status).toBe(422);
  expect(body).toMatchObject({
    code: 'invalid_argument',
    message: 'a.pdf is said to be a PDF, but its bytes are not.',
    details: { reason: 'DOCUMENT_UNREADABLE' },
  });
  expect((await ask('/bad/documents', { method: 'POST', body: form('', 'a.txt') })).status).toBe(422);
  expect((await ask('/bad')).body.documents).toBe(0);
});

test('a file that is too large is refused with 413, and nothing of it stays', async () => {
  await ask('', { method: 'POST', body: { id: 'large' } });
  // The headers of a part may take some of what is read.
  const file = form('x'.repeat(FILE_BYTES * 10), 'a.txt');
  expect((await ask('/large/documents', { method: 'POST', body: file })).status).toBe(413);
  expect((await ask('/large')).body.documents).toBe(0);
});

test.each([
  '[]',
  '{"a":{}}',
  '{"a":[1]}',
  'no json',
  JSON.stringify(Object.fromEntries([...Array(40).keys()].map((k) => [`k${k}`, 1]))),
])('metadata %s is refused', async (metadata) => {
  await ask('', { method: 'POST', body: { id: 'meta' } });
  const path = `/meta/documents?metadata=${encodeURIComponent(metadata)}`;
  expect((await ask(path, { method: 'POST', body: form('x', 'a.txt') })).status).toBe(422);
});

test('only an administrator may see or change knowledge', async () => {
  for (const [path, method] of [
    ['', 'GET'],
    ['', 'POST'],
    ['/harbour', 'GET'],
    ['/harbour/search', 'POST'],
  ] as const) {
    expect((await ask(path, { method, key: runsKey.key, ...(method === 'POST' && { body: {} }) })).status).toBe(403);
  }
});
