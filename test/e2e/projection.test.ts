import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { SessionPast } from '@rostra/host/projection/session-past';
import { transcriptDrift } from '@rostra/host/projection/transcript-rebuild';
import { decodeSegment, wasStepped } from '@rostra/host/session/record-line';
import { SqliteStore } from '@rostra/host/store/sqlite/sqlite-store';
import { emptyContext } from '@rostra/kernel/session/context';
import { step } from '@rostra/kernel/session/step';
import { afterEach, expect, test } from 'vitest';
import { HostProcess } from './host-process.ts';

const workerUrl = new URL('../../packages/host/dist/sqlite-worker.js', import.meta.url);
const host = new HostProcess();
afterEach(() => host.dispose());

/** Talks, fails, is cancelled, crashes its runner and is killed in the middle of an answer. */
async function traffic(threadId: string): Promise<void> {
  await host.start();
  for (const words of [
    'hello',
    '/stream 300',
    '/ui',
    '/tool dice',
    '/fail',
    '/crash',
    '/state colour blue',
    '/history',
  ]) {
    await host.events(await host.accept(words, { threadId }));
  }
  const cancelled = await host.accept('/slow 1000 5', { threadId });
  await host.events(cancelled, { most: 8 });
  await host.cancel(cancelled);
  const lost = await host.accept('/slow 40 5', { threadId });
  await host.events(lost, { most: 8 });
  await host.signal('SIGKILL');
  await host.start();
  await host.events(lost);
  await host.events(await host.accept('/stream 20', { threadId }));
  await host.signal('SIGTERM');
}

test('after real traffic the stored transcript is what the log gives, and any record’s state is what a replay gives', async () => {
  const threadId = randomUUID();
  await traffic(threadId);
  const store = await SqliteStore.open({ path: join(host.data, 'rostra.db'), workerUrl });
  try {
    for (const { session_id } of await store.sessions.list()) {
      expect(await transcriptDrift({ log: store, transcript: store.transcript }, session_id)).toBeNull();
    }
    expect((await store.transcript.page(threadId)).rows.length).toBeGreaterThan(15);
    const segments = await store.readSegments(threadId, 0, Number.MAX_SAFE_INTEGER);
    const records = segments.flatMap((segment) => decodeSegment(threadId, segment));
    expect(records.length).toBeGreaterThan(100);
    const past = new SessionPast({ log: store, saved: store.sessions });
    let context = emptyContext(threadId);
    for (const record of records) {
      if (wasStepped(record)) context = step(context, record).context;
      if (record.seq % 25 !== 0 && record.seq < records.length - 10) continue;
      const then = await past.contextAsOf(threadId, record.seq);
      expect(JSON.parse(JSON.stringify(then))).toEqual(JSON.parse(JSON.stringify(context)));
    }
  } finally {
    await store.close();
  }
}, 60_000);
