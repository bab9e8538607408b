import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from '../refusal.ts';
import { refused, toApiError } from '../refused.ts';
import { usable } from '../store-lock.ts';
import { openForReading } from './database-file.ts';
import type { Database } from './driver.ts';
import { foreign, SQLITE_ERROR, sqliteCode, toStoreError } from './store-error.ts';

/** A file without a byte is what is left of a database that was never written: it holds nothing. */
export function isDatabaseThere(path: string): boolean {
  return existsSync(path) && statSync(path).size > 0;
}

/** The same for whoever has nothing to do without one: a folder that cannot be looked into is no empty one. */
export function findDatabase(path: string): boolean {
  return usable(dirname(path), () => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

/** Reads a database for somebody who is no host; damage that shows at any page is refused in the store's own words. */
export async function readDatabase<T>(path: string, read: (db: Database) => T | Promise<T>): Promise<T> {
  try {
    const db = await openForReading(path);
    try {
      return await read(db);
    } finally {
      db.close();
    }
  } catch (error) {
    const cause = error instanceof StoreError ? error.cause : error;
    throw sqliteCode(cause) === SQLITE_ERROR ? toApiError(foreign) : refused(toStoreError(error));
  }
}
