import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { DatabaseFile, openForWriting } from '../../../src/store/sqlite/database-file.ts';
import type { Database } from '../../../src/store/sqlite/driver.ts';
import { Writer } from '../../../src/store/sqlite/writer.ts';

export const workerUrl = new URL('../../../dist/sqlite-worker.js', import.meta.url);

/** A path for a database in a folder of its own, gone after the test. */
export async function databasePath(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rostra-store-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'rostra.db');
}

export interface OpenWriter {
  db: Database;
  file: DatabaseFile;
  writer: Writer;
  path: string;
}

/** The writer in this thread, with its connection at hand. */
export async function openWriter(
  path: string,
  options: { durability?: 'flush'; busy?: number } = {},
): Promise<OpenWriter> {
  const db = await openForWriting(path, options);
  const file = new DatabaseFile(path);
  return { db, file, writer: new Writer(db, file, options.durability), path };
}
