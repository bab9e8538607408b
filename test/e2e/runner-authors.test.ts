/** What somebody who writes a runner meets: every command is run from a folder outside the repository. */

import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { findNpm } from '../../scripts/launch/npm.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const cli = path.join(repository, 'packages/host/dist/cli.js');
const demo = path.join(repository, 'packages/runners/demo/dist/main.js');
const python = path.join(repository, 'examples/runner-python/runner.py');
const broken = path.join(repository, 'packages/host/test/conformance/fixtures/broken.mjs');
/** npm unpacks a compiler, and the SDK is packed when it is asked for the first time. */
const SLOW = 180_000;

const outside = mkdtempSync(path.join(tmpdir(), 'rostra-authors-'));
afterAll(() => rmSync(outside, { recursive: true, force: true }));

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function run(file: string, args: readonly string[], cwd = outside): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(file, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, out, err) => {
      const code = error === null ? 0 : Number(error.code ?? 1);
      resolve({ code, out, err });
    });
  });
}

function rostra(args: readonly string[], cwd?: string): Promise<Ended> {
  return run(process.execPath, [cli, ...args], cwd);
}

function hasPython(): boolean {
  try {
    execFileSync('python3', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    // Not installed, or not by that name.
    return false;
  }
}
const noPython = hasPython() ? false : 'python3 is not installed';

test('the demo keeps every promise of the protocol', { timeout: SLOW }, async () => {
  const { code, out } = await rostra(['runners', 'check', '--flood', '/stream 600', '--', process.execPath, demo]);
  expect(out).toMatch(/\n23 hold\.\n$/);
  expect(code).toBe(0);
});

test('a broken runner is told from a whole one, by the line that shows it', { timeout: SLOW }, async () => {
  const { code, out } = await rostra(['runners', 'check', '--', process.execPath, broken, 'repeat']);
  expect(code).toBe(1);
  expect(out).toMatch(
    /✗ the numbers of results rise .*\n.*1 follows 1.*\n {4}line \d+ ← \{"jsonrpc":"2\.0","method":"RESULTS"/,
  );
});

test('without a command to check, one is asked for', async () => {
  const { code, err } = await rostra(['runners', 'check']);
  expect(code).toBe(2);
  expect(err).toContain('COMMAND');
});

test.skipIf(noPython !== false)(
  `the Python example keeps every promise${noPython || ''}`,
  { timeout: SLOW },
  async () => {
    const { code, out } = await rostra(['runners', 'check', '--', 'python3', python]);
    expect(out).toMatch(/\n23 hold\.\n$/);
    expect(code).toBe(0);
  },
);

test('a TypeScript runner is made, installed without a network, and keeps every promise', {
  timeout: SLOW,
}, async () => {
  const made = await rostra(['create-runner', 'my-runner']);
  expect(made.out.trim().split('\n')).toEqual([
    'The runner my-runner is in my-runner. Next:',
    '  cd my-runner && npm install',
    '  npm test',
    '  add to rostra.yaml:  runners: [./my-runner]',
  ]);
  const folder = path.join(outside, 'my-runner');
  const npm = findNpm();
  const installed = await run(npm.file, [...npm.args, 'install', '--offline'], folder);
  expect(installed.err).not.toContain('npm error');
  expect(installed.code).toBe(0);
  const tested = await run(npm.file, [...npm.args, 'test'], folder);
  expect(tested.out).toMatch(/^(#|ℹ) pass 1$/m);
  const { code, out } = await rostra(['runners', 'check', '--', 'node', 'dist/src/main.js'], folder);
  expect(out).toMatch(/\n23 hold\.\n$/);
  expect(code).toBe(0);
});

test.skipIf(noPython !== false)('a Python runner is made and keeps every promise', { timeout: SLOW }, async () => {
  const made = await rostra(['create-runner', 'Py_Runner', '--lang', 'python']);
  expect(made.out).toContain('The runner py-runner is in Py_Runner.');
  expect(made.out.trim().split('\n')).toHaveLength(4);
  const folder = path.join(outside, 'Py_Runner');
  expect(readFileSync(path.join(folder, 'runner.py'), 'utf8')).toContain('"id": "local/py-runner"');
  const { code, out } = await rostra(['runners', 'check', '--', 'python3', 'runner.py'], folder);
  expect(out).toMatch(/\n23 hold\.\n$/);
  expect(code).toBe(0);
});

test('a folder that is not empty is left alone', async () => {
  writeFileSync(path.join(outside, 'mine.txt'), 'mine');
  const { code, err } = await rostra(['create-runner', '.']);
  expect(code).toBe(1);
  expect(err).toMatch(/is not empty\.\n→ Name a folder/);
  const unknown = await rostra(['create-runner', 'other', '--lang', 'cobol']);
  expect(unknown.err).toMatch(/no template for "cobol"\.\n→ Write --lang ts or python\./);
});

test('one line in rostra.yaml is enough for a runner to be found', { timeout: SLOW }, async () => {
  const folder = mkdtempSync(path.join(outside, 'host-'));
  const entry = JSON.stringify({ command: [process.execPath, broken], name: 'plain' });
  writeFileSync(path.join(folder, 'rostra-runner.json'), entry);
  writeFileSync(path.join(folder, 'rostra.yaml'), 'runners: [., ./nowhere]\n');
  const { code, out } = await rostra(['runners', 'list'], folder);
  expect(code).toBe(0);
  expect(out).toMatch(/^plain +ready +trusted +shared +broken \(test\/broken\)/m);
  expect(out).toMatch(/^demo +ready .*rostra\/demo\/default/m);
  expect(out).toMatch(/nowhere.* is left out: there is no folder/);
});

test('a runner that does not come up says why in the list', { timeout: SLOW }, async () => {
  const folder = mkdtempSync(path.join(outside, 'host-'));
  writeFileSync(path.join(folder, 'main.mjs'), 'const half = {\n');
  writeFileSync(path.join(folder, 'rostra-runner.json'), '{ "command": ["node", "main.mjs"], "name": "half" }');
  writeFileSync(path.join(folder, 'rostra.yaml'), 'runners: [.]\n');
  const { out } = await rostra(['runners', 'list'], folder);
  expect(out).toContain(
    'half: The runner ended with exit code 1. Its last words: "SyntaxError: Unexpected end of input"',
  );
});
