import { existsSync, statSync } from 'node:fs';
import { limits } from '@rostra/protocol/wire/limits';
import { StoreError } from '../refusal.ts';
import { type ConnectOptions, connect, type Database } from './driver.ts';
import { migrate, type SchemaChange } from './migrate.ts';
import { toStoreError } from './store-error.ts';

const cacheKib = 32 * 1024;

export interface DatabaseOptions {
  /** How long a lock of another program is waited for. */
  busy?: number;
}

/** The connection that writes. A new file gets the schema, an older one the migrations it lacks; `changing` hears first. */
export async function openForWriting(
  path: string,
  options: DatabaseOptions = {},
  changing: (change: SchemaChange) => void = () => undefined,
): Promise<Database> {
  // SQLite would delete such a log, and with it every commit since the last checkpoint.
  if (!existsSync(path) && existsSync(walPath(path))) throw lost(path);
  return open(path, { readOnly: false }, options, (db) => {
    const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
    if (mode !== 'wal') throw new Error(`SQLite keeps journal_mode ${mode} for ${path}`);
    // What the log does not keep of its file is allocated again and again.
    db.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA journal_size_limit = ${limits.checkpoint_kept}`);
    db.exec('PRAGMA synchronous = FULL');
    // Only this makes a Mac's disk write its own cache out.
    if (process.platform === 'darwin') db.exec('PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1');
    migrate(db, path, changing);
  });
}

/** A connection that only reads; the file exists and has its schema. */
export async function openForReading(path: string, options: DatabaseOptions = {}): Promise<Database> {
  return open(path, { readOnly: true }, options, (db) => db.exec('PRAGMA query_only = 1'));
}

/** The same for one that compares vectors: it may load a library for that, and has tables of its own while it lasts. */
export async function openForSearching(path: string, options: DatabaseOptions = {}): Promise<Database> {
  return open(path, { readOnly: true, allowExtension: true }, options, () => undefined);
}

async function open(
  path: string,
  connection: ConnectOptions,
  options: DatabaseOptions,
  prepare: (db: Database) => void,
): Promise<Database> {
  try {
    const db = await connect(path, connection);
    try {
      db.exec(`PRAGMA busy_timeout = ${options.busy ?? limits.store_busy}`);
      db.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON`);
      prepare(db);
      return db;
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    throw toStoreError(error);
  }
}

export function walPath(path: string): string {
  return `${path}-wal`;
}

/** Notices that the file was deleted or replaced while open: writes would succeed and be lost. */
export class DatabaseFile {
  readonly path: string;
  readonly #inode: number;

  constructor(path: string) {
    this.path = path;
    this.#inode = statSync(path).ino;
  }

  check(): void {
    if (statSync(this.path, { throwIfNoEntry: false })?.ino !== this.#inode) throw lost(this.path);
  }

  walBytes(): number {
    return statSync(walPath(this.path), { throwIfNoEntry: false })?.size ?? 0;
  }
}

function lost(path: string): Error {
  return new StoreError({
    reason: 'STORE_LOST',
    message: `The database file ${path} was deleted or replaced.`,
    retryable: false,
    hint: 'Stop the host and restore the file, or move what is left of it away.',
  });
}
