import { gzipSync } from 'node:zlib';

/** Path inside the package → its bytes. */
export type PackageFiles = ReadonlyMap<string, Buffer | string>;

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;

/** A package as npm installs it: a gzipped ustar archive with everything below `package/`. Equal files, equal bytes. */
export function tarball(files: PackageFiles): Buffer {
  const blocks: Buffer[] = [];
  for (const [path, content] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    blocks.push(header(`package/${path}`, bytes.length), bytes, Buffer.alloc(padding(bytes.length)));
  }
  blocks.push(Buffer.alloc(2 * BLOCK));
  return gzipSync(Buffer.concat(blocks));
}

function padding(length: number): number {
  return (BLOCK - (length % BLOCK)) % BLOCK;
}

function header(path: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const [prefix, name] = split(path);
  block.write(name, 0, NAME_BYTES);
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  // npm's own date for files whose date does not matter.
  block.write(`${(499_162_500).toString(8).padStart(11, '0')}\0`, 136);
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\0' + '00', 257);
  block.write(prefix, 345, PREFIX_BYTES);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** A path that is too long for its field is cut at a slash. */
function split(path: string): [prefix: string, name: string] {
  if (Buffer.byteLength(path) <= NAME_BYTES) return ['', path];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)];
    if (Buffer.byteLength(name) <= NAME_BYTES && Buffer.byteLength(prefix) <= PREFIX_BYTES) return [prefix, name];
  }
  throw new Error(`${path} is too long for an archive`);
}
