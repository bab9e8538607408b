import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { BackupManifest } from '@rostra/protocol/record/backup-manifest';
import { backupMarkPath, blobPath } from '../artifacts/file-blobs.ts';
import { errnoOf } from '../artifacts/file-error.ts';
import { blobEntry, databaseName, manifestName } from '../backup/archive-entry.ts';
import { tarEnd, tarHeader, tarPadding } from '../backup/tar.ts';
import type { Refusal } from '../refusal.ts';
import { StoreError } from '../refusal.ts';
import { toApiError } from '../refused.ts';
import { copyDatabase } from './database-copy.ts';
import { DatabaseFile } from './database-file.ts';
import { findDatabase } from './database-reading.ts';
import { connect } from './driver.ts';
import { journalBytes, journalPath } from './journal-file.ts';
import { readMark } from './journal-mark.ts';
import { schemaVersion, versionOf } from './migrate.ts';
import { replay } from './replay.ts';
import { toStoreError } from './store-error.ts';
import { Writer } from './writer.ts';

export interface BackupReport {
  manifest: BackupManifest;
  /** What the copy would say of itself: sessions whose log is damaged, files that rows name and that are not there. */
  problems: string[];
}

/**
 * One file with everything that a host keeps: the database as of one moment, and the files that it names then. The host
 * may be writing meanwhile. The file is complete under its name or not there at all.
 */
export async function backUp(data: string, file: string, now: number): Promise<BackupReport> {
  const path = join(data, databaseName);
  if (!findDatabase(path)) {
    throw unusable(`There is no database in ${data}.`, 'Name the folder of the host with --data.');
  }
  const target = resolve(file);
  if (existsSync(target)) throw unusable(`${file} exists already.`, 'Name a file that does not exist.');
  const blobs = join(data, 'blobs');
  const mark = backupMarkPath(blobs);
  await mkdir(dirname(target), { recursive: true });
  await mkdir(blobs, { recursive: true, mode: 0o700 });
  await writeFile(mark, `${process.pid}\n`);
  const copy = `${target}.database`;
  const part = `${target}.part`;
  try {
    const { manifest, problems } = await describe(path, copy, blobs, now);
    await writeArchive(part, manifest, { copy, blobs, now });
    await rename(part, target);
    return { manifest, problems };
  } catch (error) {
    throw readable(error);
  } finally {
    await Promise.all([copy, part, mark].map((each) => rm(each, { force: true })));
  }
}

async function describe(path: string, copy: string, blobs: string, now: number): Promise<BackupReport> {
  // First: what is in no table yet is in the journal, or will be in the copy.
  const journal = journalBytes(journalPath(path), null);
  const source = await connect(path, { readOnly: true });
  try {
    source.exec('PRAGMA busy_timeout = 5000');
    copyDatabase(source, copy);
  } finally {
    source.close();
  }
  await settle(copy, journal);
  const db = await connect(copy, { readOnly: true });
  try {
    const schema = versionOf(db);
    const { sessions, records, problems, hash } = replay(db);
    const named = schema < 2 ? [] : db.prepare(namedBlobs).all();
    const kept: BackupManifest['blobs'] = [];
    for (const row of named) {
      const sha256 = row.sha256 as string;
      const size_bytes = row.size_bytes as number;
      const found = await sizeOf(blobPath(blobs, sha256));
      if (found === size_bytes) kept.push({ sha256, size_bytes });
      else problems.push(`The stored file ${sha256} is missing or has another size.`);
    }
    const database = { size_bytes: (await stat(copy)).size, sha256: await hashOf(copy) };
    const about = { format: 'rostra-backup', version: 1, created_at: new Date(now).toISOString() } as const;
    return { manifest: { ...about, schema, sessions, records, replay: hash, database, blobs: kept }, problems };
  } finally {
    db.close();
  }
}

/** What the host had committed and written into no table yet: nobody would do it in the copy. */
async function settle(copy: string, journal: Buffer): Promise<void> {
  const db = await connect(copy, { readOnly: false });
  try {
    // A database of another version is kept as it is.
    const mark = versionOf(db) === schemaVersion ? readMark(db) : null;
    if (mark !== null) new Writer(db, new DatabaseFile(copy)).recover(journal.subarray(mark.offset), mark.salt);
  } finally {
    db.close();
  }
}

const namedBlobs = `SELECT sha256, size_bytes FROM artifact
  UNION SELECT sha256, size_bytes FROM storage WHERE bytes IS NULL ORDER BY sha256`;

async function writeArchive(
  path: string,
  manifest: BackupManifest,
  { copy, blobs, now }: { copy: string; blobs: string; now: number },
): Promise<void> {
  const archive = await open(path, 'w', 0o600);
  try {
    const text = Buffer.from(`${JSON.stringify(manifest)}\n`);
    await archive.writeFile(tarHeader({ name: manifestName, size: text.length }, now));
    await archive.writeFile(Buffer.concat([text, tarPadding(text.length)]));
    await writeEntry(archive, { name: databaseName, size: manifest.database.size_bytes, from: copy, now });
    for (const { sha256, size_bytes } of manifest.blobs) {
      await writeEntry(archive, { name: blobEntry(sha256), size: size_bytes, from: blobPath(blobs, sha256), now });
    }
    await archive.writeFile(tarEnd);
    await archive.sync();
  } finally {
    await archive.close();
  }
}

async function writeEntry(
  archive: FileHandle,
  { name, size, from, now }: { name: string; size: number; from: string; now: number },
): Promise<void> {
  await archive.writeFile(tarHeader({ name, size }, now));
  for await (const piece of createReadStream(from)) await archive.writeFile(piece);
  await archive.writeFile(tarPadding(size));
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece);
  return hash.digest('hex');
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function unusable(message: string, hint: string): Error {
  const refusal: Refusal = { code: 'invalid_argument', reason: 'BACKUP_UNUSABLE', message, retryable: false, hint };
  return toApiError(refusal);
}

function readable(error: unknown): Error {
  const known = toStoreError(error);
  return known instanceof StoreError ? toApiError(known.refusal) : known;
}
