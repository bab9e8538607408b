import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startModelServer } from '../fakes/model-server.ts';
import { HostProcess } from './host-process.ts';

const probe = new URL('fixtures/loaded-scripts.mjs', import.meta.url);

/** What is large and needed by few: it is loaded for the first who needs it. */
const heavy = /^(ai|@ai-sdk\/.*|@modelcontextprotocol\/client|gpt-tokenizer|unpdf|mammoth|turndown|sqlite-vec)$/;

/** The npm packages whose code stands in these bundled files, as their source maps tell. */
function packagesIn(scripts: readonly string[]): string[] {
  const maps = scripts
    .filter((url) => url.includes('/packages/host/dist/'))
    .map((url) => `${fileURLToPath(url)}.map`)
    .filter((file) => existsSync(file));
  const sources = maps.flatMap((file): string[] => JSON.parse(readFileSync(file, 'utf8')).sources);
  const names = sources.map((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

test.runIf(process.platform !== 'win32')(
  'an idle host has loaded nothing of models, tool servers and documents',
  async () => {
    const models = await startModelServer();
    const model = { provider: 'anthropic', model: 'fake-chat', base_url: models.anthropic_url, api_key: 'sk-idle' };
    const host = new HostProcess({ NODE_OPTIONS: `--import=${probe.href}` }, { models: { big: model } });
    onTestFinished(async () => {
      await host.dispose();
      await models.close();
    });
    const file = join(host.data, 'loaded.json');
    await host.start({ LOADED_SCRIPTS: file });
    expect((await host.request('GET', '/api/v1/sessions')).status).toBe(200);
    process.kill(host.pid, 'SIGUSR2');
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: 10_000 });
    const loaded = packagesIn(JSON.parse(readFileSync(file, 'utf8')));
    expect(loaded).toContain('hono');
    expect(loaded.filter((name) => heavy.test(name))).toEqual([]);
    expect(models.requests).toEqual([]);
  },
);
