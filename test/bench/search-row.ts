import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Unit } from '../../packages/host/src/store/port.ts';
import { SqliteStore } from '../../packages/host/src/store/sqlite/sqlite-store.ts';
import { corpus, NEEDLE, QUERY } from './search-corpus.ts';

const workerUrl = new URL('../../packages/host/dist/sqlite-worker.js', import.meta.url);

export interface SearchFigures {
  /** Place of what was sought among the results, from 1; 0: not found. */
  place: { conversation: number; workspace: number };
  /** Milliseconds. */
  p50: { conversation: number; workspace: number };
  p95: { conversation: number; workspace: number };
  built: number;
  indexed: number;
  bytes: number;
}

function commit(store: SqliteStore, unit: Unit): Promise<void> {
  return new Promise((resolve, reject) => {
    store.commit([unit], (error, [result]) => {
      if (error !== null || result !== 'committed') reject(error ?? new Error(`a unit was ${result}`));
      else resolve();
    });
  });
}

/** How long the search of one conversation, and of all, takes among so many messages; warm. */
export async function measureSearch(messages: number, times: number): Promise<SearchFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'rostra-search-'));
  const store = await SqliteStore.open({ path: join(folder, 'rostra.db'), workerUrl });
  try {
    const began = performance.now();
    for (const unit of corpus(messages)) await commit(store, unit);
    const built = performance.now();
    while (!(await isIndexed(store)));
    const indexed = performance.now();
    const conversation = await timed(store, times, 'talk');
    const workspace = await timed(store, times);
    const figure = <K extends 'place' | 'p50' | 'p95'>(name: K) => ({
      conversation: conversation[name],
      workspace: workspace[name],
    });
    return {
      place: figure('place'),
      p50: figure('p50'),
      p95: figure('p95'),
      built: built - began,
      indexed: indexed - built,
      bytes: statSync(join(folder, 'rostra.db')).size,
    };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The first search after very many messages may have to be repeated until they are indexed. */
async function isIndexed(store: SqliteStore): Promise<boolean> {
  try {
    await store.transcript.search({ query: 'x', workspace_id: 'workspace', limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'deadline_exceeded') return false;
    throw error;
  }
}

async function timed(store: SqliteStore, times: number, session_id?: string) {
  const search = {
    query: QUERY,
    workspace_id: 'workspace',
    limit: 10,
    ...(session_id !== undefined && { session_id }),
  };
  const took: number[] = [];
  let place = 0;
  for (let n = 0; n < times + 5; n += 1) {
    const from = performance.now();
    const { rows } = await store.transcript.search(search);
    if (n >= 5) took.push(performance.now() - from);
    place = rows.findIndex(({ content }) => content === NEEDLE) + 1;
  }
  took.sort((a, b) => a - b);
  const at = (share: number) => took[Math.min(took.length - 1, Math.floor(share * took.length))] ?? 0;
  return { place, p50: at(0.5), p95: at(0.95) };
}
