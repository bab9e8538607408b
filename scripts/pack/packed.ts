import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PackageFiles, tarball } from './tarball.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = path.join(root, 'node_modules/.cache/rostra-pack');

export interface Manifest {
  readonly name: string;
  readonly version: string;
}

/** A package as an archive that npm installs. */
export interface Packed {
  readonly manifest: Manifest;
  readonly bytes: Buffer;
}

/** Making an archive takes seconds: it is kept under what it was made from. */
export function pack({ name, version }: Manifest, key: string, files: () => PackageFiles): Packed {
  const file = path.join(cache, `${key}.tgz`);
  const manifest = { name, version };
  if (existsSync(file)) return { manifest, bytes: readFileSync(file) };
  const bytes = tarball(files());
  mkdirSync(cache, { recursive: true });
  writeFileSync(file, bytes);
  return { manifest, bytes };
}

export function fileName({ name, version }: Manifest): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}`;
}

/** Writes the archives into a folder, and says on stdout what they are called. */
export function writePacked(folder: string, packed: readonly Packed[]): void {
  mkdirSync(folder, { recursive: true });
  const written = packed.map(({ manifest, bytes }) => {
    const file = `${fileName(manifest)}.tgz`;
    writeFileSync(path.join(folder, file), bytes);
    return { ...manifest, file };
  });
  process.stdout.write(`${JSON.stringify(written)}\n`);
}
