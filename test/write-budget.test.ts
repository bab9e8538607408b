import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Configuration } from '../packages/host/src/main/configuration.ts';
import { type EmbeddedHost, startEmbedded } from '../packages/host/src/main/embedded.ts';
import { HostLog } from '../packages/host/src/main/host-log.ts';
import { MemoryStore } from '../packages/host/src/store/memory/memory-store.ts';
import type { StoreStats } from '../packages/host/src/store/port.ts';
import { SqliteStore } from '../packages/host/src/store/sqlite/sqlite-store.ts';
import { runInput } from './e2e/host-process.ts';
import { readFrames, textOf } from './e2e/sse-client.ts';

const workerUrl = new URL('../packages/host/dist/sqlite-worker.js', import.meta.url);
let data: string;
let host: EmbeddedHost;
let store: SqliteStore;

beforeAll(async () => {
  data = mkdtempSync(join(tmpdir(), 'rostra-budget-'));
  const env = { ROSTRA_DATA: data, ROSTRA_PORT: '0' };
  const configuration = await Configuration.read({ env, flags: {}, cwd: fileURLToPath(new URL('.', import.meta.url)) });
  host = await startEmbedded(configuration, new HostLog(() => undefined), async () => {
    store = await SqliteStore.open({ path: join(data, 'rostra.db'), workerUrl });
    // What runs received is written many together, in its own time: it is no part of what a turn costs.
    return Object.assign(store, { dossiers: new MemoryStore().dossiers });
  });
});

afterAll(async () => {
  await host.stop(0);
  rmSync(data, { recursive: true, force: true });
});

async function say(content: string, threadId: string): Promise<string> {
  const authorization = `Bearer ${readFileSync(join(data, 'owner.key'), 'utf8').trim()}`;
  const runs = `${host.address}/api/v1/agent/runs`;
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(runs, {
    method: 'POST',
    headers,
    body: JSON.stringify(runInput(content, { threadId })),
  });
  const { taskId } = (await response.json()) as { taskId: string };
  return textOf(await readFrames(`${runs}/${taskId}/events`, { authorization }));
}

function spent(before: StoreStats, after: StoreStats): StoreStats {
  return {
    commits: after.commits - before.commits,
    flushes: after.flushes - before.flushes,
    inserts: after.inserts - before.inserts,
    updates: after.updates - before.updates,
  };
}

test('/stream 50 in an open session stays within 10 rows, 5 commits and 2 fsyncs', async () => {
  const { threadId } = runInput('');
  await say('/stream 1', threadId);
  const before = await store.stats();
  expect((await say('/stream 50', threadId)).split(' ')).toHaveLength(51);
  const cost = spent(before, await store.stats());
  expect(cost.inserts).toBeLessThanOrEqual(10);
  expect(cost.commits).toBeLessThanOrEqual(5);
  expect(cost.flushes).toBeLessThanOrEqual(2);
});

test('a chunk that comes alone costs one row and one update', async () => {
  const { threadId } = runInput('');
  await say('/stream 1', threadId);
  // The two runs differ by twenty chunks and by nothing else; each chunk of /slow is a unit of its own.
  const costs: StoreStats[] = [];
  for (const chunks of [20, 40]) {
    const before = await store.stats();
    await say(`/slow ${chunks} 15`, threadId);
    costs.push(spent(before, await store.stats()));
  }
  const [few, many] = costs as [StoreStats, StoreStats];
  const units = many.commits - few.commits;
  expect(units).toBeGreaterThan(15);
  expect(many.inserts - few.inserts).toBe(units);
  expect(many.updates - few.updates).toBe(units);
  expect(many.flushes).toBe(few.flushes);
});
