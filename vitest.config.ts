import { defaultServerConditions } from 'vite';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  ssr: { resolve: { conditions: ['rostra-source', ...defaultServerConditions] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'packages/runners/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/vitest-setup.ts'],
    pool: 'forks',
    // Process-level tests spawn hosts and runners of their own; more workers than cores only makes them wait.
    maxWorkers: 2,
    // What a file has loaded the next one need not load again. No test replaces a module, so none can notice.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    reporters: process.env.CI === undefined ? ['default'] : ['default', 'hanging-process'],
    slowTestThreshold: 2_000,
  },
});
