import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import type { Library } from './library.ts';

/** The declarations of a package and of all that they mention of this repository and of zod, as one tree. */
export function declarations(root: string, library: Library): Map<string, string> {
  const options = compilerOptions(root, library);
  const entries = library.entries.map((name) => path.join(root, `packages/${library.folder}/src/${name}.ts`));
  const program = ts.createProgram(entries, options);
  const files = new Map<string, string>();
  const { emitSkipped } = program.emit(undefined, (file, text) => {
    const place = placeOf(root, file);
    if (place !== undefined) files.set(place, relinked(place, text));
  });
  if (emitSkipped) throw new Error(`the declarations of packages/${library.folder} cannot be made`);
  for (const { fileName } of program.getSourceFiles()) {
    const inZod = fileName.split('/node_modules/zod/')[1];
    if (inZod === undefined) continue;
    // zod names its declarations for CommonJS to everybody; those for modules lie beside them.
    const name = inZod.replace(/\.d\.cts$/, '.d.ts');
    const place = `types/zod/${name}`;
    files.set(place, relinked(place, readFileSync(path.join(root, 'node_modules/zod', name), 'utf8')));
  }
  return files;
}

function compilerOptions(root: string, { of, platform }: Library): ts.CompilerOptions {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  return {
    ...options,
    ...(platform === 'node'
      ? { lib: ['lib.es2023.d.ts'], types: ['node'] }
      : { lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], types: [] }),
    noEmit: false,
    noCheck: true,
    incremental: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: root,
    rootDir: root,
    // By way of node_modules these would be somebody else's, for which nothing is made.
    paths: Object.fromEntries(of.map((name) => [`@rostra/${name}/*`, [path.join(root, `packages/${name}/src/*.ts`)]])),
  };
}

/** `packages/protocol/src/wire/json.d.ts` → `types/protocol/wire/json.d.ts` */
function placeOf(root: string, file: string): string | undefined {
  const match = /^packages\/([\w-]+)\/src\/(.*\.d\.ts)$/.exec(path.relative(root, file).split(path.sep).join('/'));
  return match === null ? undefined : `types/${match[1]}/${match[2]}`;
}

const specifier = /(\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)(["'])([^"']+)\2/g;

/** In the package everything is relative: nothing of it is to be found in a registry. */
function relinked(place: string, text: string): string {
  return text.replace(specifier, (_, lead: string, quote: string, target: string) => {
    return `${lead}${quote}${targetOf(place, target)}${quote}`;
  });
}

function targetOf(place: string, target: string): string {
  if (target.startsWith('.')) return target.replace(/\.(ts|cjs|mjs)$/, '.js');
  const file = placeNamed(target);
  if (file === null) return target;
  const relative = path.posix.relative(path.posix.dirname(place), file);
  return relative.startsWith('.') ? relative : `./${relative}`;
}

/** What a package is called → where it is in the tree; null when it is none of ours. */
function placeNamed(target: string): string | null {
  const inZod = /^zod((?:\/.+)?)$/.exec(target);
  if (inZod !== null) return `types/zod${inZod[1]}/index.js`;
  const own = /^@rostra\/([\w-]+)\/(.+)$/.exec(target);
  return own === null ? null : `types/${own[1]}/${own[2]}.js`;
}
