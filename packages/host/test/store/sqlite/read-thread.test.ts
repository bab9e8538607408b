import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ReadThread } from '../../../src/store/sqlite/read-thread.ts';
import { Unsettled } from '../../../src/store/sqlite/unsettled.ts';
import { WorkerThread } from '../../../src/store/sqlite/worker-thread.ts';
import { databasePath, workerUrl } from './sqlite-folder.ts';

/** A writer's thread, and reads that begin another one when they should. */
async function reading() {
  const options = { path: await databasePath(), durability: 'class', checkpoint: {}, sole: true } as const;
  const writer = new WorkerThread(workerUrl, 'writer');
  await writer.ask({ method: 'open', options: { ...options, role: 'writer' } });
  const wakes: (() => void)[] = [];
  let begun = 0;
  const begin = () => {
    begun += 1;
    return new WorkerThread(workerUrl, 'reader');
  };
  const later = (_ms: number, wake: () => void) => {
    wakes.push(wake);
    return { refresh: () => undefined, cancel: () => undefined };
  };
  const reads = new ReadThread(writer, begin, { ...options, role: 'reader' }, new Unsettled(writer), later);
  onTestFinished(async () => {
    await reads.close();
    await writer.terminate();
  });
  const head = () => reads.ask({ method: 'head', session_id: 's' });
  return { writer, reads, head, begun: () => begun, passPatience: () => wakes.splice(0).map((wake) => wake()) };
}

describe('reads of a store', () => {
  it('are answered by the writer as long as they are few', async () => {
    const { head, begun } = await reading();
    for (let n = 1; n < limits.store_reads_shared; n += 1) expect(await head()).toBeNull();
    expect(begun()).toBe(0);
  });

  it('get a thread of their own when they are many, once', async () => {
    const { head, begun, reads } = await reading();
    await Promise.all(Array.from({ length: limits.store_reads_shared * 2 }, head));
    expect(begun()).toBe(1);
    await reads.close();
    await expect(head()).rejects.toThrow('closed');
  });

  it('get it when one waits, and that one is answered once', async () => {
    const { head, begun, passPatience } = await reading();
    const waiting = head();
    passPatience();
    // The first look may only be late itself.
    expect(begun()).toBe(0);
    passPatience();
    expect(begun()).toBe(1);
    expect(await waiting).toBeNull();
    expect(await head()).toBeNull();
  });

  it('one that was answered in time begins nothing', async () => {
    const { head, begun, passPatience } = await reading();
    await head();
    passPatience();
    passPatience();
    expect(begun()).toBe(0);
  });

  it('are answered without a writer', async () => {
    const { head, begun, writer } = await reading();
    await writer.terminate();
    expect(await head()).toBeNull();
    expect(begun()).toBe(1);
  });
});
