import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';
import type { Mutant } from './mutants.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const entry = fileURLToPath(new URL('./worker.ts', import.meta.url));
const outRoot = path.join(root, 'node_modules/.cache/rostra-oracle');

/** How often a mutant's text occurs in its file: once, or it has lost its place. */
export async function occurrences({ file, find }: Mutant): Promise<number> {
  return (await readFile(path.join(root, file), 'utf8')).split(find).length - 1;
}

/** Bundles the oracle with the real sources, or with one bug in them, and returns the file to run. */
export async function bundleOracle(mutant: Mutant | null = null): Promise<string> {
  const outDir = path.join(outRoot, mutant?.id ?? 'oracle');
  let patched = mutant === null;
  await build({
    config: false,
    cwd: root,
    entry: { worker: entry },
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
        name: 'rostra-oracle',
        transform(code, id) {
          if (mutant === null || path.relative(root, id).replaceAll('\\', '/') !== mutant.file) return null;
          const parts = code.split(mutant.find);
          if (parts.length !== 2)
            throw new Error(`${mutant.file}: "${mutant.find}" is there ${parts.length - 1} times`);
          patched = true;
          return { code: parts.join(mutant.replace) };
        },
      },
    ],
  });
  if (!patched) throw new Error(`mutant ${mutant?.id}: ${mutant?.file} is no part of what is called`);
  return path.join(outDir, 'worker.js');
}
