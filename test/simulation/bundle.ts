import { fileURLToPath } from 'node:url';
import { type Patch, patchedBundle } from '../mutation/patched-bundle.ts';

const observed = fileURLToPath(new URL('./world/observed-step.ts', import.meta.url));

/** Bounds that a schedule cannot reach are brought within its reach; the oracle reads the same table. */
const tightened: Readonly<Record<string, string>> = {
  'turn_bytes: 16 * MIB': 'turn_bytes: 1024',
  'turn_chunks: 100_000': 'turn_chunks: 14',
  'handover_depth: 8': 'handover_depth: 1',
  'lease: 15 * SECOND': 'lease: 600',
  'turn_attempts: 5': 'turn_attempts: 3',
  '  transactions: 16': '  transactions: 4',
};
const always = Object.entries(tightened).map(([find, replace]) => ({
  file: 'packages/protocol/src/wire/limits.ts',
  find,
  replace,
}));

/** The driver's steps are watched on their way. */
function resolve(source: string, importer: string): string | null {
  const isDriver = importer.endsWith('packages/host/src/session/session-driver.ts');
  return isDriver && source === '@rostra/kernel/session/step' ? observed : null;
}

/** Bundles the simulator with the real sources, and returns the file to run. */
export function bundleSimulator(mutant: Patch | null = null): Promise<string> {
  const entry = new URL('./simulator.ts', import.meta.url);
  return patchedBundle({ name: 'simulator', entry, mutant, always, resolve });
}
