import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BackupManifest } from '@rostra/protocol/record/backup-manifest';
import { errnoOf } from '../artifacts/file-error.ts';
import { blobEntry, databaseName, manifestBytesMax, manifestName } from '../backup/archive-entry.ts';
import { ByteSource } from '../backup/byte-source.ts';
import { readTarHeader, tarBlock, tarPadding } from '../backup/tar.ts';
import { toApiError } from '../refused.ts';
import { lockDataFolder } from '../store-lock.ts';
import { connect } from './driver.ts';
import { schemaVersion, versionOf } from './migrate.ts';
import { replay } from './replay.ts';

const workFolder = 'restoring';
/** No backup holds a key. Those of the folder stay: who used it goes on using it, and what they sealed opens. */
const keyFiles = ['owner.key', 'secret.key'];

export interface RestoreOptions {
  file: string;
  data: string;
  /** What is in the folder is moved into a folder beside instead of being refused. */
  force: boolean;
  now: number;
}

export interface RestoreReport {
  manifest: BackupManifest;
  /** Where what was there before has gone. */
  replaced: string | null;
}

/**
 * Puts a backup into a data folder that no host uses. Everything is unpacked aside and proven first; only a backup that
 * is complete, reads as its manifest says and replays to its hash takes its place.
 */
export async function restore({ file, data, force, now }: RestoreOptions): Promise<RestoreReport> {
  if (!existsSync(file)) throw broken(`There is no file ${file}.`);
  const lock = lockDataFolder(data);
  const work = join(data, workFolder);
  try {
    const there = (await readdir(data)).filter((name) => !name.startsWith('host.lock') && name !== workFolder);
    if (there.length > 0 && !force) {
      throw toApiError({
        code: 'invalid_argument',
        reason: 'DATA_FOLDER_NOT_EMPTY',
        message: `${data} is not empty.`,
        retryable: false,
        hint: 'Name another folder with --data, or move what is there aside with --force.',
      });
    }
    await rm(work, { recursive: true, force: true });
    await mkdir(work, { mode: 0o700 });
    const manifest = await unpack(file, work);
    await prove(join(work, databaseName), manifest, now);
    const replaced = await moveAside(data, there, now);
    if (existsSync(join(work, 'blobs'))) await rename(join(work, 'blobs'), join(data, 'blobs'));
    // The database comes last: without it the folder holds no host's data.
    await rename(join(work, databaseName), join(data, databaseName));
    await syncFolder(data);
    return { manifest, replaced };
  } finally {
    await rm(work, { recursive: true, force: true });
    lock.release();
  }
}

async function unpack(file: string, work: string): Promise<BackupManifest> {
  const source = await ByteSource.open(file);
  try {
    const manifest = await readManifest(source);
    await unpackEntry(source, work, { name: databaseName, ...manifest.database });
    for (const blob of manifest.blobs) await unpackEntry(source, work, { name: blobEntry(blob.sha256), ...blob });
    return manifest;
  } catch (error) {
    if (error instanceof RangeError) throw broken(`${file} is no complete backup: ${error.message}.`);
    throw error;
  } finally {
    await source.close();
  }
}

async function readManifest(source: ByteSource): Promise<BackupManifest> {
  const entry = readTarHeader(await source.take(tarBlock));
  if (entry?.name !== manifestName || entry.size > manifestBytesMax) throw new RangeError('it begins with no manifest');
  const text = (await source.take(entry.size)).toString();
  await source.take(tarPadding(entry.size).length);
  const manifest = parseManifest(text);
  if (manifest === null) throw new RangeError('its manifest cannot be read');
  const { schema } = manifest;
  if (schema > schemaVersion) {
    throw toApiError({
      reason: 'STORE_NEWER',
      message: `The backup has schema ${schema}; this Rostra knows schemas up to ${schemaVersion}.`,
      retryable: false,
      hint: 'Restore it with the newer Rostra that wrote it.',
    });
  }
  return manifest;
}

function parseManifest(text: string): BackupManifest | null {
  try {
    return BackupManifest.safeParse(JSON.parse(text)).data ?? null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Names come from the manifest, whose form is checked, and never from the archive. */
async function unpackEntry(
  source: ByteSource,
  work: string,
  { name, size_bytes, sha256 }: { name: string; size_bytes: number; sha256: string },
): Promise<void> {
  const entry = readTarHeader(await source.take(tarBlock));
  if (entry?.name !== name || entry.size !== size_bytes) throw new RangeError(`${name} is not where it should be`);
  const path = join(work, name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const target = await open(path, 'wx', 0o600);
  try {
    for await (const piece of source.pieces(size_bytes)) {
      hash.update(piece);
      await target.writeFile(piece);
    }
    await target.sync();
  } finally {
    await target.close();
  }
  await source.take(tarPadding(size_bytes).length);
  if (hash.digest('hex') !== sha256) throw new RangeError(`${name} was changed`);
}

/**
 * Reads the database as the manifest says it must. Every session begins a new epoch, greater than any that the host gave
 * before: what it wrote after the backup is gone, and a cursor into that must not be taken for one into what comes now.
 */
async function prove(path: string, manifest: BackupManifest, now: number): Promise<void> {
  const db = await connect(path, { readOnly: false });
  try {
    const [check] = db.prepare('PRAGMA integrity_check(1)').all();
    if (check?.integrity_check !== 'ok')
      throw broken(`The database in the backup is damaged: ${check?.integrity_check}.`);
    if (versionOf(db) !== manifest.schema || replay(db).hash !== manifest.replay) {
      throw broken('The database in the backup is not the one that its manifest describes.');
    }
    db.prepare('UPDATE session SET epoch = max(epoch + 1, ?)').run(Math.floor(now / 1000));
    if (manifest.schema < 2) return;
    db.exec('DELETE FROM lease; DELETE FROM holder');
  } finally {
    db.close();
  }
}

async function moveAside(data: string, names: readonly string[], now: number): Promise<string | null> {
  const moved = names.filter((name) => !keyFiles.includes(name));
  if (moved.length === 0) return null;
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, '');
  const folder = join(data, `replaced-${time}`);
  await mkdir(folder, { mode: 0o700 });
  for (const name of moved) if (!name.startsWith('replaced-')) await rename(join(data, name), join(folder, name));
  return folder;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    // Some systems cannot sync a folder; the renames are as safe as they get there.
    if (errnoOf(error) !== 'EINVAL') throw error;
  } finally {
    await folder.close();
  }
}

function broken(message: string): Error {
  return toApiError({
    code: 'invalid_argument',
    reason: 'BACKUP_UNUSABLE',
    message,
    retryable: false,
    hint: 'Use another backup.',
  });
}
