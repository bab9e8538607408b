/**
 * The part of the tar format (POSIX ustar) that a backup needs: plain files with short names. Any tar program reads it.
 */
const BLOCK = 512;

export interface TarEntry {
  name: string;
  size: number;
}

/** What stands before an entry's bytes. */
export function tarHeader({ name, size }: TarEntry, mtime: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`the name ${name} is too long for a tar entry`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  writeNumber(header, 124, size);
  writeNumber(header, 136, Math.floor(mtime / 1000));
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\u000000', 257);
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

/** What stands after an entry's bytes. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

export const tarEnd = Buffer.alloc(2 * BLOCK);

/** Null for the block of zeros at the end; an error for anything that is no header. */
export function readTarHeader(block: Buffer): TarEntry | null {
  if (block.every((byte) => byte === 0)) return null;
  const noted = Number.parseInt(block.toString('latin1', 148, 155), 8);
  const type = block.toString('latin1', 156, 157);
  if (noted !== checksum(block) || block.toString('latin1', 257, 262) !== 'ustar' || type !== '0') {
    throw new RangeError('not a tar header of a plain file');
  }
  const end = block.indexOf(0);
  return { name: block.toString('utf8', 0, Math.min(end === -1 ? 100 : end, 100)), size: readNumber(block, 124) };
}

export const tarBlock = BLOCK;

/** Octal digits; above eight GiB a marked big-endian number. */
function writeNumber(header: Buffer, at: number, value: number): void {
  if (value < 0o77777777777) {
    header.write(`${value.toString(8).padStart(11, '0')}\0`, at);
    return;
  }
  header.writeUInt8(0x80, at);
  header.writeBigUInt64BE(BigInt(value), at + 4);
}

function readNumber(block: Buffer, at: number): number {
  if ((block.readUInt8(at) & 0x80) !== 0) return Number(block.readBigUInt64BE(at + 4));
  return Number.parseInt(block.toString('latin1', at, at + 11), 8);
}

/** The sum of all bytes, its own place counted as blanks. */
function checksum(header: Buffer): number {
  let sum = 0;
  for (const [index, byte] of header.entries()) sum += index >= 148 && index < 156 ? 32 : byte;
  return sum;
}
