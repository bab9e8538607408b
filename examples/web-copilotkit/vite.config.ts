import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const target = process.env.ROSTRA_URL ?? 'http://127.0.0.1:8787';

/** The key stays here, in the server of the page: whoever has it can do all that it is good for. */
function keyOfHost(): string {
  const folder = process.env.ROSTRA_DATA ?? path.join(import.meta.dirname, '../../.rostra');
  const file = path.join(folder, 'owner.key');
  if (process.env.ROSTRA_API_KEY) return process.env.ROSTRA_API_KEY;
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new Error(`There is no key in ${file}. Start Rostra first, or set ROSTRA_API_KEY.`);
}

export default defineConfig(({ command }) => ({
  plugins: [react()],
  server:
    command === 'build'
      ? {}
      : {
          proxy: {
            // The host answers to its own name and to pages of its own only.
            '/api/v1/copilotkit': {
              target,
              changeOrigin: true,
              headers: { Authorization: `Bearer ${keyOfHost()}`, Origin: target },
            },
          },
        },
}));
