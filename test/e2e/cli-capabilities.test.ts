/** Models and tool servers as people add them by commands: secrets go in by variables and pipes, and never come out. */

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server.ts';
import { HostProcess } from './host-process.ts';

const cli = fileURLToPath(new URL('../../packages/host/dist/cli.js', import.meta.url));
const key = 'sk-canary-0f1e2d3c4b5a';
const token = 'Bearer canary-9a8b7c6d5e4f';
const host = new HostProcess();
let provider: ModelServer;
let printed = '';

beforeAll(async () => {
  [provider] = await Promise.all([startModelServer({ api_key: key }), host.start()]);
});
afterAll(async () => {
  await Promise.all([provider.close(), host.dispose()]);
});

function rostra(args: string[], input = ''): Promise<{ code: number | null; out: string; err: string }> {
  const env = { ...process.env, ROSTRA_DATA: host.data, ROSTRA_PORT: '0', ROSTRA_DETECT: 'off', TOKEN: token };
  const child = spawn(process.execPath, [cli, ...args], { cwd: host.data, env });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString();
  });
  child.stdin.end(input);
  return new Promise((resolve) =>
    child.once('close', (code) => {
      printed += out + err;
      resolve({ code, out, err });
    }),
  );
}

test('a model is added with a key from a pipe, tried, survives a restart, and is removed', async () => {
  const address = ['--provider', 'openai-compatible', '--name', 'fake-chat', '--base-url', provider.openai_url];
  const added = await rostra(['models', 'add', 'my/model', ...address, '--api-key-stdin'], `${key}\n`);
  expect(added).toMatchObject({ code: 0, err: '' });
  await host.signal('SIGTERM');
  await host.start();
  expect((await rostra(['models', 'list'])).out).toMatch(/^my\/model +chat +openai-compatible +store +kept$/m);
  const tried = await rostra(['models', 'test', 'my/model']);
  expect(tried).toMatchObject({ code: 0, out: expect.stringMatching(/^my\/model answered in \d+ ms\.$/m) });
  expect(await rostra(['models', 'remove', 'my/model'])).toMatchObject({ code: 0 });
});

test('a tool server is added with a header from a variable, told how it is, and removed', async () => {
  const added = await rostra(['tools', 'add', 'far', 'http://127.0.0.1:9/mcp', '--headers', 'Authorization=TOKEN']);
  expect(added).toMatchObject({ code: 0, err: '' });
  expect((await rostra(['tools', 'servers'])).out).toMatch(/^far +store +http +(failed|connecting)/m);
  expect(await rostra(['tools', 'remove', 'far'])).toMatchObject({ code: 0 });
  expect(await rostra(['tools', 'add', 'far', 'x', '--headers', 'A=UNSET_HERE'])).toMatchObject({ code: 2 });
  expect(await rostra(['tools', 'add', '--', 'echo', 'hi'])).toMatchObject({ code: 2 });
  expect(await rostra(['tools', 'add', 'far', 'http://127.0.0.1:9', '--', 'echo'])).toMatchObject({ code: 2 });
});

test('none of the secrets was printed, logged or written anywhere', async () => {
  await host.signal('SIGTERM');
  const files = readdirSync(host.data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name)).toContain('secret.key');
  const written = files.map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1')).join('');
  expect(written + printed + host.output).not.toContain('canary');
});
