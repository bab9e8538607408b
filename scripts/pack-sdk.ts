/** Writes what a TypeScript runner outside this repository needs into a folder, as packages that npm installs offline. */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { sdkDeclarations } from './pack/sdk-declarations.ts';
import { tarball } from './pack/tarball.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = path.join(root, 'packages/runner-sdk/dist');

const cache = path.join(root, 'node_modules/.cache/rostra-pack');

interface Manifest {
  readonly name: string;
  readonly version: string;
}

interface Packed {
  readonly manifest: Manifest;
  readonly bytes: Buffer;
}

/** Making an archive takes seconds: it is kept under what it was made from. */
function kept(key: string, make: () => Buffer): Buffer {
  const file = path.join(cache, `${key}.tgz`);
  if (existsSync(file)) return readFileSync(file);
  const bytes = make();
  mkdirSync(cache, { recursive: true });
  writeFileSync(file, bytes);
  return bytes;
}

/** Changes whenever one of the files that the SDK is made of does. */
function sourceKey(): string {
  const hash = createHash('sha256');
  for (const folder of ['protocol/src', 'transport/src', 'runner-sdk/src', 'runner-sdk/dist']) {
    const full = path.join(root, 'packages', folder);
    for (const name of readdirSync(full, { recursive: true, encoding: 'utf8' }).sort()) {
      const { size, mtimeMs } = statSync(path.join(full, name));
      hash.update(`${folder}/${name}\0${size}\0${mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

function read(file: string): string {
  return readFileSync(file, 'utf8');
}

/** The built files that the entries lead to; what an earlier build left behind is left out. */
function programs(): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    const text = read(path.join(dist, name)).replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
    found.set(name, text);
    for (const [, next = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*"\.\/([\w.-]+\.js)"/g)) visit(next);
  };
  for (const entry of ['index.js', 'testing.js']) visit(entry);
  return found;
}

/** One self-contained package: bundled code, declarations, and nothing that it depends on. */
function sdk(): Packed {
  const { name, version, description, license, engines }: Manifest & Record<string, unknown> = JSON.parse(
    read(path.join(root, 'packages/runner-sdk/package.json')),
  );
  const manifest = {
    name,
    version,
    description,
    license,
    type: 'module',
    engines,
    exports: {
      '.': { types: './types/runner-sdk/index.d.ts', default: './dist/index.js' },
      './testing': { types: './types/runner-sdk/testing.d.ts', default: './dist/testing.js' },
    },
  };
  const bytes = kept(`runner-sdk-${sourceKey()}`, () => tarball(sdkFiles(manifest)));
  return { manifest: { name, version }, bytes };
}

function sdkFiles(manifest: object): Map<string, string> {
  const files = new Map<string, string>([['package.json', `${JSON.stringify(manifest, null, 2)}\n`]]);
  files.set('LICENSE', read(path.join(root, 'LICENSE')));
  for (const [file, text] of programs()) files.set(`dist/${file}`, text);
  for (const [file, text] of sdkDeclarations(root)) files.set(file, text);
  for (const bundled of ['zod', 'ws']) {
    files.set(`licenses/${bundled}.txt`, read(path.join(root, 'node_modules', bundled, 'LICENSE')));
  }
  return files;
}

/** A package of this repository's own node_modules, as it was installed. */
function installed(name: string): Packed {
  const folder = path.join(root, 'node_modules', name);
  const manifest: Manifest = JSON.parse(read(path.join(folder, 'package.json')));
  return { manifest, bytes: kept(fileName(manifest), () => tarball(filesOf(folder))) };
}

function fileName({ name, version }: Manifest): string {
  return `${name.replace('@', '').replace('/', '-')}-${version}`;
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
  if (folder === undefined) throw new Error('Usage: pack-sdk FOLDER');
  if (!existsSync(path.join(dist, 'index.js'))) throw new Error('the SDK is not built: npm run build');
  mkdirSync(folder, { recursive: true });
  const packed = [sdk(), ...['typescript', '@types/node', 'undici-types'].map(installed)];
  const written = packed.map(({ manifest, bytes }) => {
    const file = `${fileName(manifest)}.tgz`;
    writeFileSync(path.join(folder, file), bytes);
    return { name: manifest.name, version: manifest.version, file };
  });
  process.stdout.write(`${JSON.stringify(written)}\n`);
}

main(process.argv.slice(2));
