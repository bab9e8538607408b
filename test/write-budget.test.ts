import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { limits } from '@rostra/protocol/wire/limits';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Configuration } from '../packages/host/src/main/configuration.ts';
import { type EmbeddedHost, startEmbedded } from '../packages/host/src/main/embedded.ts';
import { HostLog } from '../packages/host/src/main/host-log.ts';
import { beginStore } from '../packages/host/src/main/store-opening.ts';
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
  const env = { ROSTRA_DATA: data, ROSTRA_PORT: '0', ROSTRA_DETECT: 'off' };
  const configuration = await Configuration.read({ env, flags: {}, cwd: fileURLToPath(new URL('.', import.meta.url)) });
  const opening = beginStore(configuration, async () => {
    store = await SqliteStore.open({ path: join(data, 'rostra.db'), workerUrl });
    return store;
  });
  host = await startEmbedded(configuration, new HostLog(() => undefined), opening);
});

afterAll(async () => {
  await host.stop(0);
  rmSync(data, { recursive: true, force: true });
});

async function begin(content: string, threadId: string) {
  const authorization = `Bearer ${readFileSync(join(data, 'owner.key'), 'utf8').trim()}`;
  const runs = `${host.address}/api/v1/agent/runs`;
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(runs, {
    method: 'POST',
    headers,
    body: JSON.stringify(runInput(content, { threadId })),
  });
  const { taskId } = (await response.json()) as { taskId: string };
  const read = (after: string | null, most?: number) => {
    const place = after === null ? {} : { 'last-event-id': after };
    return readFrames(`${runs}/${taskId}/events`, { authorization, ...place }, most);
  };
  return { taskId, read };
}

/** Resolves when the answer was read, and what is kept beside the log is written: each turn pays for itself. */
async function say(content: string, threadId: string): Promise<string> {
  const { taskId, read } = await begin(content, threadId);
  const text = textOf(await read(null));
  await vi.waitFor(async () => expect(await store.dossiers.get(`${taskId}.1`)).not.toBeNull(), { timeout: 10_000 });
  // A search has the rest indexed before it looks.
  await store.transcript.search({ query: 'chunk', workspace_id: 'local', limit: 1 });
  return text;
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
  // Between two chunks of one answer nothing else is written: all else comes before the first or a second later.
  const { read } = await begin(`/slow 25 ${limits.gather + 3}`, threadId);
  const first = await read(null, 8);
  const before = await store.stats();
  await read(first.at(-1)?.id ?? null, 16);
  const { commits, inserts, updates, flushes } = spent(before, await store.stats());
  expect(commits).toBeGreaterThan(12);
  expect({ inserts, updates, flushes }).toEqual({ inserts: commits, updates: commits, flushes: 0 });
});
