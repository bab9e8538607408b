import { SqliteStore } from '../../../src/store/sqlite/sqlite-store.ts';

/** Opens a store as the only process, and closes it: whoever started it says where it dies. */
const [path = '', url = ''] = process.argv.slice(2);
const store = await SqliteStore.open({ path, workerUrl: new URL(url), sole: true });
await store.close();
