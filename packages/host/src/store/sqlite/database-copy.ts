import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Database } from './driver.ts';

const unfinished = '.part';

/** A consistent copy of the database as it is now, complete and on disk under its name or not there at all. */
export function copyDatabase(db: Database, to: string): void {
  const part = `${to}${unfinished}`;
  rmSync(part, { force: true });
  db.prepare('VACUUM INTO ?').run(part);
  syncPath(part);
  renameSync(part, to);
  syncPath(dirname(to));
}

/** Keeps a copy beside the database, named by why and when; what an earlier try left unfinished goes. */
export function copyBefore(db: Database, path: string, why: string): void {
  const folder = dirname(path);
  for (const name of readdirSync(folder)) {
    if (name.startsWith(`${basename(path)}.`) && name.endsWith(unfinished)) rmSync(join(folder, name));
  }
  const time = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  copyDatabase(db, `${path}.${why}.${time}.copy`);
}

/** Waits until the file, or what a folder lists, is on disk. */
export function syncPath(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
