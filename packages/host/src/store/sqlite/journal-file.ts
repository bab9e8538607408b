import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { errnoOf } from '../artifacts/file-error.ts';

/** Before the bytes of each commit: the salt of this filling of the file, how many bytes follow, and their checksum. */
const headBytes = 12;

/** Where the journal of a database lies. Names with a dash are SQLite's own. */
export function journalPath(database: string): string {
  return `${database}.journal`;
}

/** How far the journal is in the tables: the database itself says so. */
export interface JournalMark {
  /** Of the filling that it speaks of: what an earlier one left behind the end is told apart by it. */
  readonly salt: number;
  readonly offset: number;
}

/** Commits that are in the journal, and how far it reaches with them: told to the writer, and not answered. */
export interface JournalNews {
  journaled: Uint8Array[];
  /** Whose units they hold, unit by unit. */
  sessions: string[];
  end: number;
}

/** One commit as it lies in the file, in two pieces. */
export function journalEntry(salt: number, packed: Uint8Array): [Uint8Array, Uint8Array] {
  const head = Buffer.allocUnsafe(headBytes);
  head.writeUInt32LE(salt, 0);
  head.writeUInt32LE(packed.length, 4);
  head.writeUInt32LE(crc32(packed, salt), 8);
  return [head, packed];
}

/** What the file holds of a filling, from the mark on; of its last one without a mark. Nothing when there is no file. */
export function journalBytes(path: string, mark: JournalMark | null): Buffer {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    const begin = mark?.offset ?? 0;
    const bytes = Buffer.alloc(Math.max(0, endOf(file, begin, mark?.salt) - begin));
    const read = readSync(file, bytes, 0, bytes.length, begin);
    return bytes.subarray(0, read);
  } finally {
    closeSync(file);
  }
}

/** How far entries of one salt seem to reach, by their heads: most of a large file are those of an earlier filling. */
function endOf(file: number, begin: number, ofMark: number | undefined): number {
  const { size } = fstatSync(file);
  const head = Buffer.alloc(headBytes);
  let salt = ofMark;
  let at = begin;
  while (at + headBytes <= size) {
    readSync(file, head, 0, headBytes, at);
    salt ??= head.readUInt32LE(0);
    const length = head.readUInt32LE(4);
    if (head.readUInt32LE(0) !== salt || length === 0) break;
    at = Math.min(at + headBytes + length, size);
  }
  return at;
}

/**
 * The commits of one filling, up to the first that is not whole: a host that was killed, or a machine that lost its power,
 * was writing it, and nobody had been told of it.
 */
export function* journalEntries(bytes: Buffer, salt: number): Generator<Uint8Array> {
  let at = 0;
  while (at + headBytes <= bytes.length && bytes.readUInt32LE(at) === salt) {
    const begin = at + headBytes;
    const end = begin + bytes.readUInt32LE(at + 4);
    if (end > bytes.length) return;
    const packed = bytes.subarray(begin, end);
    if (crc32(packed, salt) !== bytes.readUInt32LE(at + 8)) return;
    yield packed;
    at = end;
  }
}
