import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

/** The console: static files that the host serves at `/`. */
export default defineConfig({
  root: 'packages/console',
  plugins: [react(), tailwindcss()],
  resolve: { conditions: ['rostra-source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    // A host that serves from this folder has its files in memory.
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows no inline script, and a module that is asked for is there.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
  },
  logLevel: 'warn',
});
