import { defineConfig, type UserConfig } from 'tsdown';

interface Program {
  readonly outDir: string;
  /** Name of the file in `outDir`, without extension → its source. */
  readonly entry: Readonly<Record<string, string>>;
}

const programs: readonly Program[] = [
  {
    outDir: 'packages/host/dist',
    entry: {
      cli: 'packages/host/src/main/cli.ts',
      'sqlite-worker': 'packages/host/src/store/sqlite/worker.ts',
      'document-worker': 'packages/host/src/capabilities/knowledge/documents/document-worker.ts',
      'token-worker': 'packages/host/src/capabilities/models/token-worker.ts',
      'page-worker': 'packages/host/src/capabilities/tools/own/page-worker.ts',
    },
  },
  {
    outDir: 'packages/runners/demo/dist',
    entry: { main: 'packages/runners/demo/src/main.ts' },
  },
  {
    outDir: 'packages/runners/local-agent/dist',
    entry: { main: 'packages/runners/local-agent/src/main.ts' },
  },
  {
    // What a runner outside this repository is given: see scripts/pack-sdk.ts.
    outDir: 'packages/runner-sdk/dist',
    entry: { index: 'packages/runner-sdk/src/index.ts', testing: 'packages/runner-sdk/src/testing.ts' },
  },
];

/**
 * Everything is bundled, also npm packages: one file is read several times faster than a tree of small ones, and a
 * start must be quick. Only the native ones stay outside, because they find their binaries beside their own files.
 */
function bundle({ outDir, entry }: Program): UserConfig {
  return {
    outDir,
    entry: { ...entry },
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    tsconfig: 'tsconfig.json',
    fixedExtension: false,
    hash: false,
    dts: false,
    // A host may be running from this folder, and its lazy chunks must not vanish under it.
    clean: false,
    sourcemap: true,
    report: false,
    logLevel: 'warn',
    deps: { alwaysBundle: [/.*/], neverBundle: ['@photostructure/sqlite', 'sqlite-vec'], onlyBundle: false },
  };
}

export default defineConfig(programs.map(bundle));
