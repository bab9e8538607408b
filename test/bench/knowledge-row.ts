import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ChunkSearch } from '../../packages/host/src/store/ports/knowledge.ts';
import { SqliteStore } from '../../packages/host/src/store/sqlite/sqlite-store.ts';
import { chunks, numbers, question, Topics } from './knowledge-corpus.ts';
import { corpus } from './search-corpus.ts';

const workerUrl = new URL('../../packages/host/dist/sqlite-worker.js', import.meta.url);
const CHUNKS_PER_DOCUMENT = 500;
const COMMIT_EVERY = 10;
const COMMITS_ALONE = 500;

export interface Spread {
  p50: number;
  p95: number;
  p99: number;
  max: number;
}

export interface KnowledgeFigures {
  words: Spread;
  vectors: Spread;
  both: Spread;
  /** Of commits by themselves, and of commits while chunks are added. */
  alone: Spread;
  beside: Spread;
  /** Milliseconds that adding the chunks took, beside the commits. */
  added: number;
  bytes: number;
}

function spread(took: number[]): Spread {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

async function addDocument(store: SqliteStore, document_id: string, made: ReturnType<typeof chunks>): Promise<void> {
  const { knowledge } = store;
  await knowledge.putDocument({
    document_id,
    kb_id: 'kb',
    name: document_id,
    mime_type: 'text/plain',
    size_bytes: 1,
    sha256: '',
    artifact_id: document_id,
    metadata: {},
    status: 'indexing',
    problem: null,
    done: 0,
    total: 0,
    generation: 0,
    chunks: 0,
    created_at: 1,
    updated_at: 1,
  });
  const generation = (await knowledge.begin(document_id, 'm')) ?? 0;
  await knowledge.addChunks(document_id, generation, made);
  await knowledge.publish(document_id, generation, 1);
}

/** How long a search takes among so many chunks, warm, and what adding more does to those who commit meanwhile. */
export async function measureKnowledge(count: number, more: number, times: number): Promise<KnowledgeFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'rostra-knowledge-'));
  const store = await SqliteStore.open({ path: join(folder, 'rostra.db'), workerUrl });
  const next = numbers(0x2545f491);
  const topics = new Topics(next);
  let documents = 0;
  const add = async (total: number) => {
    for (let made = 0; made < total; made += CHUNKS_PER_DOCUMENT) {
      documents += 1;
      await addDocument(store, `d${documents}`, chunks(CHUNKS_PER_DOCUMENT, next, topics));
    }
  };
  const base = { kb_id: 'kb', workspace_id: 'w', name: 'All', description: '', embedding_model: 'm' };
  try {
    await store.knowledge.putBase({ ...base, created_at: 1, updated_at: 1 });
    await add(count);
    const found = await measureSearches(store, times, next, topics);
    const commits = new Commits(store);
    const alone = await commits.measure(() => commits.took.length < COMMITS_ALONE);
    let isAdding = true;
    const from = performance.now();
    const adding = add(more).finally(() => {
      isAdding = false;
    });
    const beside = await commits.measure(() => isAdding);
    await adding;
    const added = performance.now() - from;
    return { ...found, alone, beside, added, bytes: statSync(join(folder, 'rostra.db')).size };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureSearches(store: SqliteStore, times: number, next: () => number, topics: Topics) {
  const timed = async (of: () => Pick<ChunkSearch, 'words' | 'vector'>) => {
    const took: number[] = [];
    for (let n = 0; n < times + 5; n += 1) {
      const search = { filter: { kb_id: 'kb', metadata: {} }, limit: 50, ...of() };
      const from = performance.now();
      await store.knowledge.find(search);
      if (n >= 5) took.push(performance.now() - from);
    }
    return spread(took);
  };
  const vector = () => ({ model_id: 'm', values: topics.vector() });
  return {
    words: await timed(() => ({ words: question(next), vector: null })),
    vectors: await timed(() => ({ words: null, vector: vector() })),
    both: await timed(() => ({ words: question(next), vector: vector() })),
  };
}

/** Small commits every few milliseconds; every fourth waits for the disk. */
class Commits {
  took: number[] = [];
  readonly #store: SqliteStore;
  readonly #unit = corpus(1).next().value;
  #count = 0;

  constructor(store: SqliteStore) {
    this.#store = store;
  }

  async measure(goesOn: () => boolean): Promise<Spread> {
    this.took = [];
    while (goesOn()) {
      const from = performance.now();
      await this.#commit();
      this.took.push(performance.now() - from);
      await pause(COMMIT_EVERY);
    }
    return spread(this.took);
  }

  #commit(): Promise<void> {
    this.#count += 1;
    if (this.#unit === undefined) throw new Error('there is no unit');
    const small = { ...this.#unit, session_id: `s${this.#count}`, transcript: [], flush: this.#count % 4 === 0 };
    return new Promise((resolve, reject) => {
      this.#store.commit([small], (error) => (error === null ? resolve() : reject(error)));
    });
  }
}
