import { randomUUID } from 'node:crypto';
import type { Calls } from './call.ts';

const nowhere = randomUUID();

function documentForm(words: string, name: string): { type: string; bytes: FormData } {
  const form = new FormData();
  form.set('file', new Blob([words]), name);
  return { type: '', bytes: form };
}

export const knowledgeCalls: Calls = {
  createKnowledgeBase: () => [
    { status: 201, body: { id: 'walk', description: 'Where the walk leads.' } },
    { status: 409, body: { id: 'walk' } },
    { status: 422, body: { id: 'A Walk' } },
  ],
  listKnowledgeBases: () => [{ status: 200 }],
  getKnowledgeBase: () => [
    { status: 200, path: { kbId: 'walk' } },
    { status: 404, path: { kbId: 'nowhere' } },
  ],
  changeKnowledgeBase: () => [
    { status: 200, path: { kbId: 'walk' }, body: { name: 'The walk' } },
    { status: 404, path: { kbId: 'nowhere' }, body: { name: 'x' } },
    { status: 422, path: { kbId: 'walk' }, body: { name: '' } },
  ],
  addDocument: () => [
    {
      status: 202,
      path: { kbId: 'walk' },
      query: `metadata=${encodeURIComponent('{"year":2026}')}`,
      raw: documentForm('# Bridge\n\nThe bridge is closed.', 'bridge.markdown'),
      learn: ({ id }, found) => Object.assign(found, { documentId: String(id) }),
    },
    { status: 404, path: { kbId: 'nowhere' }, raw: documentForm('x', 'a.txt') },
    { status: 415, path: { kbId: 'walk' }, raw: { type: 'text/plain', bytes: 'no form' } },
    { status: 422, path: { kbId: 'walk' }, raw: documentForm('no PDF', 'a.pdf') },
    { status: 422, path: { kbId: 'walk' }, query: 'metadata=[]', raw: documentForm('x', 'a.txt') },
  ],
  listDocuments: () => [
    { status: 200, path: { kbId: 'walk' } },
    { status: 404, path: { kbId: 'nowhere' } },
    { status: 422, path: { kbId: 'walk' }, query: 'limit=0' },
  ],
  getDocument: ({ found }) => [
    { status: 200, path: { kbId: 'walk', documentId: found.documentId ?? '' } },
    { status: 404, path: { kbId: 'walk', documentId: nowhere } },
  ],
  searchKnowledge: () => [
    { status: 200, path: { kbId: 'walk' }, body: { query: 'bridge', filters: { year: 2026 } } },
    { status: 404, path: { kbId: 'nowhere' }, body: { query: 'bridge' } },
    { status: 422, path: { kbId: 'walk' }, body: { query: '' } },
  ],
  reindexKnowledgeBase: () => [
    { status: 202, path: { kbId: 'walk' } },
    { status: 404, path: { kbId: 'nowhere' } },
  ],
  deleteDocument: ({ found }) => [
    { status: 204, path: { kbId: 'walk', documentId: found.documentId ?? '' } },
    { status: 404, path: { kbId: 'walk', documentId: nowhere } },
  ],
  deleteKnowledgeBase: () => [
    { status: 204, path: { kbId: 'walk' } },
    { status: 404, path: { kbId: 'walk' } },
  ],
};
