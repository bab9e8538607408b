import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { declarations } from './declarations.ts';
import type { Library } from './library.ts';
import { type Manifest, type Packed, pack, root } from './packed.ts';

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

export function packLibrary(library: Library): Packed {
  const { folder, entries } = library;
  if (!existsSync(path.join(root, 'packages', folder, 'dist/index.js'))) {
    throw new Error(`packages/${folder} is not built: npm run build`);
  }
  const { name, version, description, license, engines }: Manifest & Record<string, unknown> = JSON.parse(
    read(`packages/${folder}/package.json`),
  );
  const places = entries.map((entry) => [
    entry === 'index' ? '.' : `./${entry}`,
    { types: `./types/${folder}/${entry}.d.ts`, default: `./dist/${entry}.js` },
  ]);
  const exports = Object.fromEntries(places);
  const manifest = { name, version, description, license, type: 'module', engines, exports };
  return pack(manifest, `${folder}-${sourceKey(library)}`, () => filesOf(library, manifest));
}

function filesOf(library: Library, manifest: object): Map<string, string> {
  const files = new Map<string, string>([['package.json', `${JSON.stringify(manifest, null, 2)}\n`]]);
  files.set('LICENSE', read('LICENSE'));
  for (const [file, text] of programs(library)) files.set(`dist/${file}`, text);
  for (const [file, text] of declarations(root, library)) files.set(file, text);
  for (const name of library.bundled) files.set(`licenses/${name}.txt`, read(`node_modules/${name}/LICENSE`));
  return files;
}

/** Changes whenever one of the files that the package is made of does. */
function sourceKey({ folder, of }: Library): string {
  const hash = createHash('sha256');
  for (const part of [...of.map((each) => `${each}/src`), `${folder}/src`, `${folder}/dist`]) {
    const full = path.join(root, 'packages', part);
    for (const name of readdirSync(full, { recursive: true, encoding: 'utf8' }).sort()) {
      const { size, mtimeMs } = statSync(path.join(full, name));
      hash.update(`${part}/${name}\0${size}\0${mtimeMs}\n`);
    }
  }
  return hash.digest('hex').slice(0, 16);
}

/** The built files that the entries lead to; what an earlier build left behind is left out. */
function programs({ folder, entries }: Library): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (name: string): void => {
    if (found.has(name)) return;
    const text = read(`packages/${folder}/dist/${name}`).replace(/\n\/\/# sourceMappingURL=.*\n?$/, '\n');
    found.set(name, text);
    for (const [, next = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*"\.\/([\w.-]+\.js)"/g)) visit(next);
  };
  for (const entry of entries) visit(`${entry}.js`);
  return found;
}
