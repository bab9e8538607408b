/** What somebody meets who writes a program with the client: in a folder outside the repository, from the archive. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findNpm } from '../../scripts/launch/npm.mjs';
import { HostProcess } from './host-process.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const tsc = path.join(repository, 'node_modules/typescript/bin/tsc');
/** The archive is made when it is asked for the first time. */
const SLOW = 120_000;

const folder = mkdtempSync(path.join(tmpdir(), 'rostra-client-'));
const host = new HostProcess();
afterAll(async () => {
  await host.dispose();
  rmSync(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number;
  readonly said: string;
}

function run(file: string, args: readonly string[], cwd = folder): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: `${out}${err}` });
    });
  });
}

beforeAll(async () => {
  const packed = await run(
    process.execPath,
    ['scripts/launch.cjs', 'script', 'scripts/pack-client.ts', folder],
    repository,
  );
  expect(packed).toMatchObject({ code: 0 });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const npm = findNpm();
  const install = ['install', '--ignore-scripts', '--offline', './rostra-client-0.1.0.tgz'];
  expect(await run(npm.file, [...npm.args, ...install])).toMatchObject({ code: 0 });
}, SLOW);

test('it is one package that needs no other, in its code and in its types', () => {
  const installed = path.join(folder, 'node_modules');
  expect(readdirSync(installed).filter((name) => !name.startsWith('.'))).toEqual(['@rostra']);
  const own = path.join(installed, '@rostra/client');
  const code = readFileSync(path.join(own, 'dist/index.js'), 'utf8');
  expect(code).not.toMatch(/^import |\bfrom "[^"]+";$|\bimport\(|\brequire\(|["']node:\w/m);
  const types = readdirSync(path.join(own, 'types'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.d.ts'),
  );
  const foreign = types.flatMap((name) =>
    [
      ...readFileSync(path.join(own, 'types', name), 'utf8').matchAll(/^[^*\n]*(?:\bfrom |\bimport\()["'](\w[^"']*)/gm),
    ].map(([, target]) => `${name}: ${target}`),
  );
  expect(foreign).toEqual([]);
});

test('Node alone runs a program with it', async () => {
  await host.start();
  const program = `
    import { RostraClient } from '@rostra/client';
    const client = new RostraClient(${JSON.stringify({ baseUrl: host.url, key: host.key })});
    const run = await client.runs.start({ text: '/stream 2' });
    for await (const event of run) if (event.type === 'TEXT_MESSAGE_CONTENT') process.stdout.write(event.delta);
    console.log((await run.status()).status);`;
  writeFileSync(path.join(folder, 'ask.mjs'), program);
  const { code, said } = await run(process.execPath, ['ask.mjs']);
  expect(said).toBe('chunk-1 chunk-2 completed\n');
  expect(code).toBe(0);
});

test('the compiler knows what it gives, without anything else installed', async () => {
  const program = `
    import { type AguiEvent, RostraClient, type TaskResponse, type Tool } from '@rostra/client';
    const tools: Tool[] = [];
    const run = await new RostraClient({ key: 'k' }).runs.start({ text: 'hello', tools });
    for await (const event of run) show(event);
    const { status }: TaskResponse = await run.status();
    function show(event: AguiEvent) {
      if (event.type !== 'TEXT_MESSAGE_CONTENT') return;
      const text: string = event.delta;
      // @ts-expect-error a delta is text: whoever sees any sees no error here
      const count: number = event.delta;
    }`;
  writeFileSync(path.join(folder, 'typed.ts'), program);
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2023',
    '--lib',
    'es2023,dom,dom.iterable',
  ];
  expect(await run(process.execPath, [tsc, ...options, 'typed.ts'])).toEqual({ code: 0, said: '' });
});
