import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../../src/store/sqlite/back-up.ts';
import { openForSearching, openForWriting } from '../../../src/store/sqlite/database-file.ts';
import { restore } from '../../../src/store/sqlite/restore.ts';
import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { Statements } from '../../../src/store/sqlite/statements.ts';
import { ChunkFinder } from '../../../src/store/sqlite/tables/chunk-finder.ts';
import { KnowledgeTable } from '../../../src/store/sqlite/tables/knowledge-table.ts';
import { addVectorFunctions } from '../../../src/store/sqlite/vector-functions.ts';
import { newArtifact } from '../ports/artifact.suite.ts';
import { baseRow, chunksOf, documentRow, index, searchFor } from '../ports/knowledge-rows.ts';
import { passesFound, passOfText } from './reindexed-document.ts';
import { databasePath, workerUrl } from './sqlite-folder.ts';

const program = fileURLToPath(new URL('./reindex-until-killed.ts', import.meta.url));
const vectorOf = (values: number[]) => ({ model_id: 'm', values: Float32Array.from(values) });

async function withDocument(path: string): Promise<SqliteStore> {
  const store = await SqliteStore.open({ path, workerUrl });
  await store.knowledge.putBase(baseRow('kb'));
  await store.knowledge.putDocument(documentRow('kb', 'doc'));
  await index(store.knowledge, 'doc', passOfText(0), 'm');
  return store;
}

/** Lets the program index until it has published `count` passes, kills it, and tells the last one that it reported. */
async function reindexAndKill(path: string, from: number, count: number): Promise<number> {
  const args = ['--import', 'tsx', program, path, workerUrl.href, String(from)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  let last = 0;
  let lines = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    last = Number(line);
    lines += 1;
    if (lines === count) child.kill('SIGKILL');
  }
  expect(await exited).toEqual([null, 'SIGKILL']);
  return last;
}

describe('indexing anew', () => {
  it('readers meanwhile find the old or the new, never both or none', { timeout: 30_000 }, async () => {
    const store = await withDocument(await databasePath());
    const { knowledge } = store;
    let isIndexing = true;
    const seen = new Set<number>();
    let [looks, last] = [0, 0];
    // The first look starts a thread, which may take longer than many passes: those go on until it has looked often.
    const indexing = (async () => {
      while (last < 25 || looks <= 5) {
        last += 1;
        await index(knowledge, 'doc', passOfText(last), 'm');
      }
      isIndexing = false;
    })();
    while (isIndexing) {
      const byWords = await knowledge.find(
        searchFor('kb', { words: 'common', vector: vectorOf([1, 0, 0]), limit: 100 }),
      );
      const passes = new Set(byWords.chunks.map(({ content }) => /pass (\d+)/.exec(content)?.[1]));
      expect([passes.size, byWords.words.length, byWords.vectors.length]).toEqual([1, 40, 40]);
      seen.add(Number([...passes][0]));
      looks += 1;
      await knowledge.sweep();
    }
    await indexing;
    expect(seen.size).toBeGreaterThan(1);
    expect(await passesFound(knowledge)).toEqual({ passes: [last], parts: [1, 1] });
    await store.close();
  });

  it('a host killed in between leaves the old or the new, whole', { timeout: 30_000 }, async () => {
    const path = await databasePath();
    await (await withDocument(path)).close();
    let from = 1;
    for (const count of [2, 5]) {
      const reported = await reindexAndKill(path, from, count);
      const store = await SqliteStore.open({ path, workerUrl });
      const { passes, parts } = await passesFound(store.knowledge);
      expect(parts).toEqual([1, 1]);
      expect(passes).toHaveLength(1);
      expect(passes[0]).toBeGreaterThanOrEqual(reported);
      while (await store.knowledge.sweep());
      expect(await passesFound(store.knowledge)).toEqual({ passes, parts: [1, 1] });
      await store.close();
      from = (passes[0] ?? 0) + 1;
    }
  });
});

describe('vectors', () => {
  /** Three ways to look, with a little noise: the same numbers each time. */
  function noisy(count: number, dims: number): number[][] {
    let state = 42;
    const next = () => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return state / 2 ** 31 - 0.5;
    };
    const centres = Array.from({ length: 40 }, () => Array.from({ length: dims }, next));
    return Array.from({ length: count }, (_, n) => (centres[n % 40] ?? []).map((value) => value + next() * 0.8));
  }

  it('sqlite-vec is found from the bundle, and what does without it finds the same', async () => {
    expect(createRequire(workerUrl).resolve('sqlite-vec')).toContain('sqlite-vec');
    const path = await databasePath();
    const writer = await openForWriting(path);
    const table = new KnowledgeTable(new Statements(writer));
    table.putBase(baseRow('kb'));
    table.putDocument(documentRow('kb', 'doc'));
    const count = limits.knowledge_vectors_whole + 1;
    const vectors = noisy(count, 64);
    const generation = table.begin('doc', 'm') ?? 0;
    writer.exec('BEGIN');
    table.addChunks(
      'doc',
      generation,
      chunksOf(
        vectors.map((_, n) => `c${n}`),
        vectors,
      ),
    );
    writer.exec('COMMIT');
    table.publish('doc', generation, 1);

    const native = await openForSearching(path);
    expect(await addVectorFunctions(native)).toBe('native');
    const plain = await openForSearching(path);
    expect(await addVectorFunctions(plain, () => Promise.reject(new Error('not for this platform')))).toBe('plain');
    const [fast, slow] = [native, plain].map((db) => new ChunkFinder(db, Date.now));
    const query = vectors[7] ?? [];
    const search = searchFor('kb', { vector: vectorOf(query), limit: 50 });
    const found = fast?.find(search).vectors.map(({ chunk_id }) => chunk_id) ?? [];
    expect(slow?.find(search).vectors.map(({ chunk_id }) => chunk_id)).toEqual(found);

    const cosine = (a: number[]) =>
      a.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0) / Math.sqrt(a.reduce((sum, v) => sum + v * v, 0));
    const exact = vectors
      .map((vector, n) => ({ id: `doc.${generation}.${n}`, score: cosine(vector) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, 50)
      .map(({ id }) => id);
    expect(found[0]).toBe(exact[0]);
    expect(exact.filter((id) => found.includes(id)).length).toBeGreaterThanOrEqual(48);
    for (const db of [native, plain, writer]) db.close();
  });
});

it('documents, their files and what is found of them are in a backup, and there again when it is restored', async () => {
  const path = await databasePath();
  const store = await withDocument(path);
  const made = { session_id: null, agent_id: null, run_id: null };
  await store.artifacts.create(newArtifact('file of doc', made), new Uint8Array([1, 2, 3]));
  const file = join(dirname(path), 'all.tar');
  expect((await backUp(dirname(path), file, 1)).problems).toEqual([]);
  await store.close();
  const data = join(dirname(path), 'restored');
  await restore({ file, data, force: false, now: 2 });
  const again = await SqliteStore.open({ path: join(data, 'rostra.db'), workerUrl });
  expect(await passesFound(again.knowledge)).toEqual({ passes: [0], parts: [1, 1] });
  expect(await again.artifacts.read('file of doc', { offset: 0, length: 9 }, 1)).toEqual(new Uint8Array([1, 2, 3]));
  await index(again.knowledge, 'doc', passOfText(1), 'm');
  expect(await passesFound(again.knowledge)).toEqual({ passes: [1], parts: [1, 1] });
  await again.close();
});
