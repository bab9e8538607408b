import path from 'node:path';
import ts from 'typescript';

/** The declarations of the SDK and of all that they mention of this repository and of zod, as one tree. */
export function sdkDeclarations(root: string): Map<string, string> {
  const options = compilerOptions(root);
  const entries = ['index', 'testing'].map((name) => path.join(root, `packages/runner-sdk/src/${name}.ts`));
  const program = ts.createProgram(entries, options);
  const files = new Map<string, string>();
  const { emitSkipped } = program.emit(undefined, (file, text) => {
    const place = placeOf(root, file);
    if (place !== undefined) files.set(place, relinked(place, text));
  });
  if (emitSkipped) throw new Error('the declarations of the SDK cannot be made');
  for (const { fileName, text } of program.getSourceFiles()) {
    const inZod = fileName.split('/node_modules/zod/')[1];
    if (inZod === undefined) continue;
    const place = `types/zod/${inZod.replace(/\.d\.[cm]ts$/, '.d.ts')}`;
    files.set(place, relinked(place, text));
  }
  return files;
}

function compilerOptions(root: string): ts.CompilerOptions {
  const { config } = ts.readConfigFile(path.join(root, 'tsconfig.base.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  return {
    ...options,
    lib: ['lib.es2023.d.ts'],
    types: ['node'],
    noEmit: false,
    noCheck: true,
    incremental: false,
    declaration: true,
    emitDeclarationOnly: true,
    outDir: root,
    rootDir: root,
    // By way of node_modules these would be somebody else's, for which nothing is made.
    paths: Object.fromEntries(
      ['protocol', 'transport'].map((name) => [`@rostra/${name}/*`, [path.join(root, `packages/${name}/src/*.ts`)]]),
    ),
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
  const own = target === 'zod' ? ['', 'zod', 'index'] : /^@rostra\/([\w-]+)\/(.+)$/.exec(target);
  if (own === null) return target;
  const relative = path.posix.relative(path.posix.dirname(place), `types/${own[1]}/${own[2]}.js`);
  return relative.startsWith('.') ? relative : `./${relative}`;
}
