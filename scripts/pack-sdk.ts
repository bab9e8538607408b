/** Writes what a TypeScript runner outside this repository needs into a folder, as packages that npm installs offline. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packLibrary } from './pack/library-archive.ts';
import { fileName, type Packed, pack, root, writePacked } from './pack/packed.ts';

/** A package of this repository's own node_modules, as it was installed. */
function installed(name: string): Packed {
  const folder = path.join(root, 'node_modules', name);
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  return pack(manifest, fileName(manifest), () => filesOf(folder));
}

function filesOf(folder: string): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    files.set(path.relative(folder, file).split(path.sep).join('/'), readFileSync(file));
  }
  return files;
}

function main([folder]: readonly string[]): void {
  if (folder === undefined) throw new Error('Usage: npm run sdk -- FOLDER');
  const sdk = packLibrary({
    folder: 'runner-sdk',
    entries: ['index', 'testing'],
    of: ['protocol', 'transport'],
    bundled: ['zod', 'ws'],
    platform: 'node',
  });
  writePacked(folder, [sdk, ...['typescript', '@types/node', 'undici-types'].map(installed)]);
}

main(process.argv.slice(2));
