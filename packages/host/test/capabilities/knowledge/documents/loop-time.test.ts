import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts';
import { databasePath, workerUrl } from '../../../store/sqlite/sqlite-folder.ts';
import { KnowledgeWorld, owner } from './knowledge-world.ts';
import { pdf } from './sample-documents.ts';

/** Milliseconds that the main thread has worked: time in which it only waited for a processor is none of its own. */
function worked(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000;
}

/** What other tests of this process left behind is not to be swept up while the loop is watched. */
function sweep(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') throw new Error('the garbage cannot be collected by hand');
  collect();
}

/** The longest that the event loop was held at a time while something was done. */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let [longest, last] = [0, worked()];
  const look = setInterval(() => {
    const now = worked();
    longest = Math.max(longest, now - last);
    last = now;
  }, 2);
  await work();
  clearInterval(look);
  return longest;
}

test.skipIf(process.platform !== 'linux')('indexing a large document holds the event loop at most 50 ms', async () => {
  const store = await SqliteStore.open({ path: await databasePath(), workerUrl, sole: true });
  const world = new KnowledgeWorld(store);
  onTestFinished(async () => {
    await world.desk.stop();
    await store.close();
  });
  await world.desk.create(owner, { id: 'handbook', description: '' });
  const paragraph = `${'The harbour opens at six in the morning. '.repeat(25)}\n\n`;
  const lines = Array.from({ length: 30 }, (_, line) => `Line ${line} has some words in it`);
  const files: [string, Buffer][] = [
    ['large.txt', Buffer.from(paragraph.repeat(8000))],
    ['large.pdf', pdf(Array.from({ length: 100 }, () => lines))],
  ];
  for (const [filename, content] of files) {
    let id = '';
    sweep();
    const longest = await longestTurn(async () => {
      ({ id } = await world.add(content, { filename }));
      await world.desk.idle();
    });
    expect((await world.document(id)).status).toBe('ready');
    expect(longest).toBeLessThan(50);
  }
  expect(world.faults).toEqual([]);
});
