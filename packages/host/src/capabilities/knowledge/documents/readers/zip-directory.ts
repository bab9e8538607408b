import { inflateRawSync } from 'node:zlib';
import { limits } from '@rostra/protocol/wire/limits';
import { tooLarge, unreadable } from '../document-error.ts';

/** A file in an archive as its directory describes it. */
export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly packed: number;
  readonly size: number;
  readonly offset: number;
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
const COMMENT_MAX = 0xffff;
/** Sizes that do not fit stand elsewhere: no document is that large. */
const FULL = 0xffffffff;

const HINT = 'Save the document anew, and add that.';

function broken(name: string): Error {
  return unreadable(`${name} is not a whole archive.`, HINT);
}

function endOf(bytes: Buffer, name: string): number {
  const first = Math.max(0, bytes.length - END_BYTES - COMMENT_MAX);
  for (let at = bytes.length - END_BYTES; at >= first; at -= 1) {
    if (bytes.readUInt32LE(at) === END) return at;
  }
  throw broken(name);
}

/** Every file that the archive says to hold; refuses a bomb before anything of it is unpacked (case 25). */
export function zipDirectory(bytes: Buffer, name: string): ZipEntry[] {
  const end = endOf(bytes, name);
  const count = bytes.readUInt16LE(end + 10);
  if (count > limits.document_entries) {
    throw tooLarge(`${name} holds ${count} files; at most ${limits.document_entries} are read.`, HINT);
  }
  const entries: ZipEntry[] = [];
  let [at, unpacked] = [bytes.readUInt32LE(end + 16), 0];
  for (let i = 0; i < count; i += 1) {
    if (at + ENTRY_BYTES > bytes.length || bytes.readUInt32LE(at) !== ENTRY) throw broken(name);
    const [nameBytes, extra, comment] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field));
    const entry = {
      name: bytes.toString('utf8', at + ENTRY_BYTES, at + ENTRY_BYTES + (nameBytes ?? 0)),
      method: bytes.readUInt16LE(at + 10),
      packed: bytes.readUInt32LE(at + 20),
      size: bytes.readUInt32LE(at + 24),
      offset: bytes.readUInt32LE(at + 42),
    };
    unpacked += entry.size;
    checkEntry(entry, unpacked, bytes.length, name);
    entries.push(entry);
    at += ENTRY_BYTES + (nameBytes ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}

function checkEntry({ packed, size, offset }: ZipEntry, unpacked: number, bytes: number, name: string): void {
  if (packed === FULL || size === FULL || offset === FULL || packed > bytes) throw broken(name);
  if (unpacked > limits.document_unpacked_bytes || unpacked > bytes * limits.document_unpacked_ratio) {
    throw tooLarge(`${name} unpacks to far more than it should: it is not read.`, HINT);
  }
}

/** What the directory says of sizes may be a lie: unpacks an entry, and not one byte more than was said. */
export function checkUnpacked(bytes: Buffer, entry: ZipEntry, name: string): void {
  const { offset, packed, size, method } = entry;
  if (offset + LOCAL_BYTES > bytes.length || bytes.readUInt32LE(offset) !== LOCAL) throw broken(name);
  const start = offset + LOCAL_BYTES + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
  const content = bytes.subarray(start, start + packed);
  if (content.length !== packed) throw broken(name);
  if (method === 0 && packed === size) return;
  if (method !== 8) throw broken(name);
  try {
    if (inflateRawSync(content, { maxOutputLength: Math.max(1, size) }).length === size) return;
  } catch (error) {
    if (!(error instanceof RangeError)) throw unreadable(`${name} is not a whole archive.`, HINT, error);
    throw tooLarge(`${name} unpacks to more than it says: it is not read.`, HINT);
  }
  throw broken(name);
}
