import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'tsdown';
import type { Mutant } from './mutants/mutant.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const entry = fileURLToPath(new URL('./simulator.ts', import.meta.url));
const observed = fileURLToPath(new URL('./world/observed-step.ts', import.meta.url));
const outRoot = path.join(root, 'node_modules/.cache/rostra-sim');

/** Bounds that a schedule cannot reach are brought within its reach; the oracle reads the same table. */
const tightened: Readonly<Record<string, string>> = {
  'turn_bytes: 16 * MIB': 'turn_bytes: 1024',
  'turn_chunks: 100_000': 'turn_chunks: 14',
  'handover_depth: 8': 'handover_depth: 1',
  'lease: 15 * SECOND': 'lease: 600',
  'turn_attempts: 5': 'turn_attempts: 3',
  '  transactions: 16': '  transactions: 4',
};

function replaceOnce(text: string, find: string, replace: string, file: string): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`${file}: "${find}" occurs ${parts.length - 1} times, not once`);
  return parts.join(replace);
}

/** The source as the simulator sees it: with tight limits, and with one bug if a mutant is given. */
function rewrite(file: string, text: string, mutant: Mutant | null): string {
  let result = text;
  if (file === 'packages/protocol/src/wire/limits.ts') {
    for (const [find, replace] of Object.entries(tightened)) result = replaceOnce(result, find, replace, file);
  }
  if (mutant?.file === file) result = replaceOnce(result, mutant.find, mutant.replace, file);
  return result;
}

/** How often a mutant's text occurs in its file: once, or it has lost its place. */
export async function occurrences(mutant: Mutant): Promise<number> {
  const text = await readFile(path.join(root, mutant.file), 'utf8');
  return text.split(mutant.find).length - 1;
}

/** Bundles the simulator with the real sources, and returns the file to run. */
export async function bundleSimulator(mutant: Mutant | null = null): Promise<string> {
  const name = mutant?.id ?? 'simulator';
  const outDir = path.join(outRoot, name);
  let patched = mutant === null;
  await build({
    config: false,
    cwd: root,
    entry: { simulator: entry },
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
        name: 'rostra-simulation',
        resolveId(source, importer) {
          const driver = importer?.endsWith('packages/host/src/session/session-driver.ts');
          return driver && source === '@rostra/kernel/session/step' ? observed : null;
        },
        transform(code, id) {
          const file = path.relative(root, id).replaceAll('\\', '/');
          const text = rewrite(file, code, mutant);
          if (file === mutant?.file) patched = true;
          return text === code ? null : { code: text };
        },
      },
    ],
  });
  if (!patched) throw new Error(`mutant ${name}: ${mutant?.file} is no part of the simulator`);
  return path.join(outDir, 'simulator.js');
}
