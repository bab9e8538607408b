import { expect, it } from 'vitest';
import { KnowledgeShelf } from '../../../src/capabilities/knowledge/knowledge-shelf.ts';
import { MemoryStore } from '../../../src/store/memory/memory-store.ts';
import { baseRow } from '../../store/ports/knowledge-rows.ts';

it('the shelf offers the bases of its workspace as of the last reading, and tells when they change', async () => {
  const { knowledge } = new MemoryStore();
  const shelf = new KnowledgeShelf({ knowledge, workspace_id: 'w' });
  let changes = 0;
  const stop = shelf.onChange(() => {
    changes += 1;
  });
  await knowledge.putBase(baseRow('b', { name: 'Handbook' }));
  await knowledge.putBase(baseRow('x', { workspace_id: 'elsewhere' }));
  expect(shelf.offers()).toEqual([]);
  await shelf.refresh();
  expect(shelf.offers()).toEqual([
    { kb_id: 'b', kb_name: 'Handbook', kb_type: 'documents', operations: ['list', 'retrieve'] },
  ]);
  expect(shelf.find('b')).toEqual({ kb_id: 'b', name: 'Handbook', description: 'All of it.' });
  expect(shelf.find('x')).toBeNull();
  const before = shelf.offers();
  await shelf.refresh();
  expect(shelf.offers()).toBe(before);
  expect(changes).toBe(1);
  await knowledge.deleteBase('b');
  await Promise.all([shelf.refresh(), shelf.refresh()]);
  expect([shelf.offers(), changes]).toEqual([[], 2]);
  stop();
  await knowledge.putBase(baseRow('c'));
  await shelf.refresh();
  expect(changes).toBe(2);
});
