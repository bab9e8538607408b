import path from 'node:path';
import type { HostStore } from '../store/host-store.ts';
import { SqliteStore } from '../store/sqlite/sqlite-store.ts';
import { lockDataFolder, type StoreLock } from '../store/store-lock.ts';
import type { Configuration } from './configuration.ts';
import { programs } from './programs.ts';

const ignore = () => undefined;

type OpenStore = (configuration: Configuration) => Promise<HostStore>;

/** A data folder that is ours, and what is in it as soon as it is open. */
export interface StoreOpening {
  readonly lock: StoreLock;
  readonly store: Promise<HostStore>;
}

/** `say` hears what takes a while, `failed` why nothing can be written any more. */
export function sqliteWith(say: (line: string) => void, failed: (cause: Error) => void): OpenStore {
  return ({ settings: { data, durability }, config }) =>
    SqliteStore.open({
      path: path.join(data, 'rostra.db'),
      workerUrl: programs.sqliteWorker,
      durability,
      artifact_bytes: config.limits.artifact_bytes,
      sole: true,
      changing: ({ from, to }) =>
        say(`  data   brought from schema ${from} to ${to}, after a copy of the database as it is`),
      failed,
    });
}

/** Takes the data folder and begins to open the store, which another thread does while this one loads the host. */
export function beginStore(configuration: Configuration, open: OpenStore = sqliteWith(ignore, ignore)): StoreOpening {
  const lock = lockDataFolder(configuration.settings.data);
  const store = open(configuration);
  // Whoever needs it hears of a failure, and may not have asked for it yet.
  store.catch(() => undefined);
  return { lock, store };
}
