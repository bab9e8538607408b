import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';
import { index } from '../ports/knowledge-rows.ts';
import { passOfText } from './reindexed-document.ts';

/** Indexes a document anew, again and again, and prints each pass that is published, until someone kills it. */
const [path = '', url = '', from = '0'] = process.argv.slice(2);
const store = await SqliteStore.open({ path, workerUrl: new URL(url), checkpoint: { idle: 1, bytes: 200_000 } });
for (let pass = Number(from); ; pass += 1) {
  await index(store.knowledge, 'doc', passOfText(pass), 'm');
  await store.knowledge.sweep();
  process.stdout.write(`${pass}\n`);
}
