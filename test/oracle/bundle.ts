import { type Patch, patchedBundle } from '../mutation/patched-bundle.ts';

/** Bundles the oracle with the real sources, or with one bug in them, and returns the file to run. */
export function bundleOracle(mutant: Patch | null = null): Promise<string> {
  return patchedBundle({ name: 'oracle', entry: new URL('./worker.ts', import.meta.url), mutant });
}
