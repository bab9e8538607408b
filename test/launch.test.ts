/** The launcher, in a small repository of its own: npm and the bundler are stand-ins that count how often they ran. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { watch } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root, walk } from './tidy/repository.ts';

let folder: string;

/** Installs nothing but a stand-in for the bundler, which writes a host that answers and obeys signals. */
const npmStandIn = `
const fs = require('node:fs');
if (fs.existsSync('npm.slow')) {
  process.on('SIGINT', () => {});
  setTimeout(() => {}, 60_000);
  fs.writeFileSync('npm.deaf', '');
  return;
}
fs.appendFileSync('npm.log', process.argv.slice(2).join(' ') + '\\n');
if (fs.existsSync('npm.fail')) {
  console.error(fs.readFileSync('npm.fail', 'utf8'));
  process.exit(1);
}
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150);
for (const bundler of ['node_modules/tsdown/dist/run.mjs', 'node_modules/vite/bin/vite.js']) {
  fs.mkdirSync(bundler.slice(0, bundler.lastIndexOf('/')), { recursive: true });
  fs.copyFileSync('bundler.mjs', bundler);
}
`;
const bundlerStandIn = `
import fs from 'node:fs';
if (process.argv[2] === 'build') process.exit(0);
fs.appendFileSync('build.log', 'build\\n');
if (fs.existsSync('build.fail')) { console.error('syntax error in a.ts'); process.exit(1); }
for (const file of ['packages/host/dist/cli.js', 'packages/host/dist/code-cache.js', 'packages/host/dist/sqlite-worker.js', 'packages/host/dist/document-worker.js', 'packages/host/dist/token-worker.js', 'packages/host/dist/page-worker.js', 'packages/runners/demo/dist/main.js', 'packages/runners/local-agent/dist/main.js', 'packages/runner-sdk/dist/index.js', 'packages/client/dist/index.js', 'packages/console/dist/index.html']) {
  fs.mkdirSync(file.slice(0, file.lastIndexOf('/')), { recursive: true });
  fs.copyFileSync('host.cjs', file);
}
`;
const hostStandIn = `
if (process.argv.includes('--wait')) {
  setInterval(() => {}, 1000);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => { console.log('got ' + signal); process.exit(7); });
}
console.log('host ' + process.argv.slice(2).join(' '));
`;

function put(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
  writeFileSync(path.join(folder, file), text);
}

function count(log: string): number {
  return existsSync(path.join(folder, log))
    ? readFileSync(path.join(folder, log), 'utf8').trim().split('\n').length
    : 0;
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rostra-launch-'));
  cpSync(path.join(root, 'scripts'), path.join(folder, 'scripts'), { recursive: true });
  put('package.json', '{}');
  put('package-lock.json', '{"packages":{}}');
  put('packages/host/package.json', '{}');
  put('packages/host/src/main/cli.ts', 'export const a = 1;');
  put('packages/host/src/store/sqlite/worker.ts', '');
  put('packages/runners/demo/package.json', '{}');
  put('packages/runners/demo/src/main.ts', '');
  put('npm/npm-cli.js', npmStandIn);
  put('bundler.mjs', bundlerStandIn);
  put('host.cjs', hostStandIn);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function launch(args: readonly string[], preload: readonly string[] = []) {
  return follow(process.execPath, [...preload, 'scripts/launch.cjs', ...args]);
}

function follow(file: string, args: readonly string[], lifecycle?: string, uid?: number) {
  const env = { ...process.env, npm_execpath: path.join(folder, 'npm/npm-cli.js'), npm_lifecycle_event: lifecycle };
  const child = spawn(file, args, { cwd: folder, env, ...(uid !== undefined && { uid }) });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = once(child, 'close').then(([code]: (number | null)[]) => ({ code, stdout, stderr }));
  return { child, ended };
}

describe('steps', () => {
  test('a cold start installs and builds, with one line each; the next start does neither', async () => {
    const cold = await launch(['start', '--port', '1']).ended;
    expect(cold).toMatchObject({ code: 0, stdout: 'host start --port 1\n' });
    expect(cold.stderr).toMatch(/^Rostra: .*\n {2}install +done +\d.*\n {2}build +done +\d.*\n$/);
    expect(readFileSync(path.join(folder, 'npm.log'), 'utf8')).toBe('ci --ignore-scripts --no-audit --no-fund\n');

    const warm = await launch(['start']).ended;
    expect(warm.stderr).toMatch(/install +up to date .*\n {2}build +up to date/);
    expect([count('npm.log'), count('build.log')]).toEqual([1, 1]);
  });

  test('a touched file builds nothing, an edited, new or missing one does', async () => {
    await launch(['build']).ended;
    utimesSync(path.join(folder, 'packages/host/src/main/cli.ts'), new Date(0), new Date(0));
    await launch(['build']).ended;
    expect(count('build.log')).toBe(1);
    put('packages/host/src/main/cli.ts', 'export const a = 2;');
    await launch(['build']).ended;
    expect(count('build.log')).toBe(2);
    put('packages/host/src/session/drive.ts', '');
    await launch(['build']).ended;
    expect(count('build.log')).toBe(3);
    rmSync(path.join(folder, 'packages/host/dist/cli.js'));
    await launch(['build']).ended;
    expect([count('npm.log'), count('build.log')]).toEqual([1, 4]);
  });

  test('an edited package.json or lock installs again', async () => {
    await launch(['build']).ended;
    put('packages/host/package.json', '{"name":"@rostra/host"}');
    await launch(['build']).ended;
    put('package-lock.json', '{"packages":{"":{}}}');
    await launch(['build']).ended;
    expect(count('npm.log')).toBe(3);
  });

  test('two launchers at once install and build once', async () => {
    const both = await Promise.all([launch(['start']).ended, launch(['start']).ended]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect([count('npm.log'), count('build.log')]).toEqual([1, 1]);
    expect(existsSync(path.join(folder, '.launch.lock'))).toBe(false);
  });

  test('the lock of a dead launcher is taken over', async () => {
    const gone = spawn(process.execPath, ['-e', '']);
    await once(gone, 'close');
    put('.launch.lock/pid', String(gone.pid));
    expect((await launch(['build']).ended).code).toBe(0);
  });
});

describe('failures', () => {
  test.each([
    ['npm error code ENOTFOUND\nnpm error network request failed', 'The npm registry cannot be reached.'],
    ['npm error code EUSAGE\nnpm error can only install with matching lock', 'package-lock.json does not fit'],
    ['npm error something else', 'Run `npm ci --ignore-scripts`'],
  ])('npm says %j', async (output, advice) => {
    put('npm.fail', output);
    const { code, stderr } = await launch(['start']).ended;
    expect(code).toBe(1);
    expect(stderr).toContain(output);
    expect(stderr).toContain(advice);
    expect(stderr).not.toContain('    at ');
  });

  test('a failed build shows why, and is tried again', async () => {
    put('build.fail', '');
    expect((await launch(['start']).ended).stderr).toContain('syntax error in a.ts');
    rmSync(path.join(folder, 'build.fail'));
    expect((await launch(['start']).ended).code).toBe(0);
    expect(count('npm.log')).toBe(1);
  });
});

describe('signals', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s reaches the host once, and its exit code is ours', async (signal) => {
    const { child, ended } = launch(['start', '--wait']);
    await once(child.stdout, 'data');
    child.kill(signal);
    expect(await ended).toMatchObject({ code: 7, stdout: `host start --wait\ngot ${signal}\n` });
  });
});

test('an install that takes no notice of Ctrl-C is ended', async () => {
  put('npm.slow', '');
  const changes = watch(folder);
  const { child, ended } = launch(['start']);
  for await (const { filename } of changes) if (filename === 'npm.deaf') break;
  child.kill('SIGINT');
  expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('Interrupted while installing.') });
});

describe.skipIf(process.platform === 'win32')('a checkout of somebody else', () => {
  test('is named, with what to do', async () => {
    chmodSync(folder, 0o555);
    // The superuser may write everywhere.
    const { ended } = follow(
      process.execPath,
      ['scripts/launch.cjs', 'start'],
      undefined,
      process.getuid?.() === 0 ? 65_534 : undefined,
    );
    expect(await ended).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /launch\.lock cannot be written \(EACCES\)\.\n→ Start it as the user who owns this checkout.*\n$/,
      ),
    });
    chmodSync(folder, 0o755);
  });
});

describe.skipIf(process.platform === 'win32')('below npm', () => {
  test('the end of the shell in between ends the host', async () => {
    const { child, ended } = follow(
      'sh',
      ['-c', `"${process.execPath}" scripts/launch.cjs start --wait; true`],
      'start',
    );
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    expect((await ended).stdout).toBe('host start --wait\ngot SIGTERM\n');
  });

  test('the end of the shell before the host has begun ends the host as well', async () => {
    await launch(['build']).ended;
    rmSync(path.join(folder, 'packages/host/dist/cli.js'));
    put('.launch.lock/pid', String(process.pid));
    const { child, ended } = follow(
      'sh',
      ['-c', `"${process.execPath}" scripts/launch.cjs start --wait; exit $?`],
      'start',
    );
    while (!(await once(child.stderr, 'data')).join('').includes('waiting for another launcher'));
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(path.join(folder, '.launch.lock'), { recursive: true });
    expect((await ended).stdout).toBe('host start --wait\ngot SIGTERM\n');
  });
});

describe('an older Node', () => {
  const pretend = (version: string) =>
    `data:text/javascript,Object.defineProperty(process,'version',{value:'v${version}'});` +
    `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}})`;

  test.each(['0.12.18', '12.22.12', '20.18.3'])('%s gets a sentence', async (version) => {
    const { code, stdout, stderr } = await launch(['start'], ['--import', pretend(version)]).ended;
    expect({ code, stdout, stderr }).toEqual({
      code: 1,
      stdout: '',
      stderr: `Rostra needs Node 20.19 or newer; this is v${version}.\n`,
    });
  });

  test.each(['20.19.0', '22.0.0', '24.1.0'])('%s may start', async (version) => {
    expect((await launch(['start'], ['--import', pretend(version)]).ended).code).toBe(0);
  });

  test('the first file is ES5', () => {
    const text = readFileSync(path.join(root, 'scripts/launch.cjs'), 'utf8');
    expect(newerSyntax(text)).toEqual([]);
    const modern = 'let a = () => `x`; f(a?.b ?? 1, ...c,);';
    expect(newerSyntax(modern).length).toBeGreaterThan(4);
  });
});

/** What an ES5 parser would refuse, as far as a launcher might be tempted to use it. */
function newerSyntax(text: string): string[] {
  const found: string[] = [];
  walk(ts.createSourceFile('launch.js', text, ts.ScriptTarget.Latest, true), (node) => {
    const declaresBlock = ts.isVariableDeclarationList(node) && (node.flags & ts.NodeFlags.BlockScoped) !== 0;
    const chained =
      (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) && node.questionDotToken !== undefined;
    const trailing = ts.isCallExpression(node) && node.arguments.hasTrailingComma === true;
    const newer = new Set([
      ts.SyntaxKind.ArrowFunction,
      ts.SyntaxKind.AwaitExpression,
      ts.SyntaxKind.BigIntLiteral,
      ts.SyntaxKind.ClassDeclaration,
      ts.SyntaxKind.ClassExpression,
      ts.SyntaxKind.ComputedPropertyName,
      ts.SyntaxKind.ForOfStatement,
      ts.SyntaxKind.NoSubstitutionTemplateLiteral,
      ts.SyntaxKind.ObjectBindingPattern,
      ts.SyntaxKind.ArrayBindingPattern,
      ts.SyntaxKind.QuestionQuestionToken,
      ts.SyntaxKind.ShorthandPropertyAssignment,
      ts.SyntaxKind.SpreadAssignment,
      ts.SyntaxKind.SpreadElement,
      ts.SyntaxKind.TemplateExpression,
    ]);
    if (declaresBlock || chained || trailing || newer.has(node.kind)) found.push(node.getText().slice(0, 40));
  });
  return found;
}
