import type { KnowledgeStore } from '../ports/knowledge.ts';
import { chunkSteps } from './chunk-steps.ts';
import type { Reading } from './read-thread.ts';
import { remotePort } from './remote-port.ts';
import type { SearchThread } from './search-thread.ts';
import type { KnowledgeRows } from './tables/knowledge-table.ts';
import type { WorkerThread } from './worker-thread.ts';

/** Documents and their chunks: many are written a few at a time, and found on a thread of their own. */
export function remoteKnowledge(threads: {
  writer: WorkerThread;
  reader: Reading;
  searcher: SearchThread;
}): KnowledgeStore {
  const { addChunks, ...rest } = remotePort<KnowledgeRows>(threads, 'knowledge', {
    putBase: 'flush',
    changeBase: 'flush',
    base: 'read',
    bases: 'read',
    deleteBase: 'flush',
    putDocument: 'flush',
    document: 'read',
    documents: 'read',
    changeDocument: 'commit',
    deleteDocument: 'flush',
    unfinished: 'read',
    begin: 'commit',
    addChunks: 'commit',
    publish: 'flush',
    publishBase: 'flush',
    sweep: 'commit',
  });
  return {
    ...rest,
    async addChunks(document_id, generation, chunks) {
      for (const step of chunkSteps(chunks)) if (!(await addChunks(document_id, generation, step))) return false;
      return true;
    },
    find: (search) => threads.searcher.find(search),
  };
}
