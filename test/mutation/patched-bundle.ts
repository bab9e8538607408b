import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';

/** A bug to plant: this text of this file, which stands there once, becomes that one. */
export interface Patch {
  readonly id: string;
  /** From the root of the repository. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

/** How often a patch's text occurs in its file: once, or it has lost its place. */
export async function occurrences({ file, find }: Pick<Patch, 'file' | 'find'>): Promise<number> {
  return (await readFile(path.join(root, file), 'utf8')).split(find).length - 1;
}

function replaceOnce(text: string, { find, replace, file }: Omit<Patch, 'id'>): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${file}: "${find}" occurs ${parts.length - 1} times, not once`);
  return parts.join(replace);
}

export interface PatchedBundle {
  /** What it is called, in the cache and in errors. */
  readonly name: string;
  readonly entry: URL;
  readonly mutant: Patch | null;
  /** Changes that every bundle of this kind has. */
  readonly always?: readonly Omit<Patch, 'id'>[];
  /** Another file for an import, where there is one. */
  readonly resolve?: (source: string, importer: string) => string | null;
}

/** Bundles a program with the real sources, or with one bug in them, and returns the file to run. */
export async function patchedBundle({ name, entry, mutant, always = [], resolve }: PatchedBundle): Promise<string> {
  const outDir = path.join(root, 'node_modules/.cache', `rostra-${name}`, mutant?.id ?? name);
  let isPlanted = mutant === null;
  await build({
    config: false,
    cwd: root,
    entry: { [name]: fileURLToPath(entry) },
    outDir,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    tsconfig: 'tsconfig.json',
    fixedExtension: false,
    hash: false,
    dts: false,
    clean: false,
    report: false,
    sourcemap: false,
    logLevel: 'error',
    deps: { alwaysBundle: [/.*/], onlyBundle: false },
    plugins: [
      {
        name: `rostra-${name}`,
        resolveId: (source, importer) => resolve?.(source, importer ?? '') ?? null,
        transform(code, id) {
          const file = path.relative(root, id).replaceAll('\\', '/');
          const patches = [...always, ...(mutant === null ? [] : [mutant])].filter((patch) => patch.file === file);
          if (patches.length === 0) return null;
          isPlanted ||= file === mutant?.file;
          return { code: patches.reduce(replaceOnce, code) };
        },
      },
    ],
  });
  if (!isPlanted) throw new Error(`mutant ${mutant?.id}: ${mutant?.file} is no part of the ${name}`);
  return path.join(outDir, `${name}.js`);
}
