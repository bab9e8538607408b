/** What we depend on: exact, locked, checked, silent at install and at import. */

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  drift,
  inexactVersions,
  isWorkspace,
  readLock,
  readManifest,
  unverified,
  withInstallScript,
} from './supply-chain/lockfile.ts';
import { importsOf } from './tidy/graph.ts';
import { isSource, isTypeScript, parse, repositoryFiles, root } from './tidy/repository.ts';

const lock = readLock();
const workspaces = Object.keys(lock).filter(isWorkspace);
const manifests = workspaces.map((folder) => ({ folder, manifest: readManifest(folder) }));
const ours = new Set<string>(manifests.map(({ manifest }) => manifest.name));

/** Packages that bring an install script, and why we do without it. */
const reviewedInstallScripts = [
  // Would compile when no binary fits; its binaries are inside the package.
  '@photostructure/sqlite',
  // Replaces its launcher by the binary of an optional dependency, to save a few milliseconds.
  'esbuild',
];

describe('lock', () => {
  test('install scripts are off for everyone who installs here', () => {
    expect(readFileSync(path.join(root, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
  });

  test.each(manifests)('every version is exact: $manifest.name', ({ manifest }) => {
    expect(inexactVersions({ ...manifest.dependencies, ...manifest.devDependencies })).toEqual([]);
  });

  test.each(manifests)('the lock agrees with package.json: $manifest.name', ({ folder, manifest }) => {
    expect(drift(folder, manifest, lock[folder])).toEqual([]);
  });

  test('every package.json of a workspace is in the lock', () => {
    const files = repositoryFiles().filter(({ path: file }) => /^(packages\/.+\/)?package\.json$/.test(file));
    expect(files.map(({ path: file }) => file.replace(/\/?package\.json$/, '')).sort()).toEqual([...workspaces].sort());
  });

  test('every package comes from the registry, under a checksum', () => {
    expect(unverified(lock)).toEqual([]);
  });

  test('links lead to workspaces only', () => {
    const links = Object.values(lock).filter((entry) => entry.link === true);
    expect(links.filter(({ resolved }) => resolved === undefined || !workspaces.includes(resolved))).toEqual([]);
  });

  test('every package with an install script has been reviewed', () => {
    expect(withInstallScript(lock)).toEqual(reviewedInstallScripts);
  });
});

describe('the rules can fail', () => {
  test.each([
    '^1.0.0',
    '~1.0.0',
    '1.x',
    'latest',
    '*',
    'github:a/b',
    'git+ssh://a/b.git',
    'file:../a',
    'https://a/b.tgz',
  ])('the version %s is refused', (version) => expect(inexactVersions({ a: version })).toHaveLength(1));

  test('a tarball, a git commit and a missing checksum are refused', () => {
    const good = { version: '1.0.0', integrity: 'sha512-x' };
    expect(unverified({ 'node_modules/a': good })).toEqual([]);
    expect(unverified({ 'node_modules/a': { ...good, resolved: 'https://example.org/a.tgz' } })).toHaveLength(1);
    expect(unverified({ 'node_modules/a': { ...good, resolved: 'git+ssh://git@github.com/a/a.git#1' } })).toHaveLength(
      1,
    );
    expect(unverified({ 'node_modules/a': { version: '1.0.0' } })).toHaveLength(1);
  });

  test('a dependency that the lock does not know is found', () => {
    expect(drift('', { dependencies: { a: '1.0.0' } }, { dependencies: {} })).toHaveLength(1);
  });
});

/** Commands that run a program without any network, the first that works here. */
const cells = [
  ['unshare', '-n'],
  ['unshare', '-rn'],
  ['bwrap', '--dev-bind', '/', '/', '--unshare-net'],
];
const cell = cells.find(([file = '', ...args]) => spawnSync(file, [...args, 'true']).status === 0);
const skipReason = cell === undefined ? ' (skipped because neither unshare nor bubblewrap works here)' : '';

function probe(specifiers: readonly string[]): { status: number | null; stderr: string; attempts: string[] } {
  const [file = '', ...args] = cell ?? [];
  const command = [process.execPath, path.join(root, 'test/supply-chain/import-probe.mjs'), ...specifiers];
  const { status, stdout, stderr } = spawnSync(file, [...args, ...command], {
    cwd: root,
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, stderr, attempts: status === 0 ? JSON.parse(stdout) : [] };
}

describe.skipIf(cell === undefined)(`import-time egress, in an empty network namespace${skipReason}`, () => {
  test('no production dependency reaches outside when it is imported', () => {
    const { status, stderr, attempts } = probe(productionModules());
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(attempts).toEqual([]);
  });

  test.each([
    ['a socket', "import net from 'node:net'; net.connect(9, '127.0.0.1').on('error', () => 0);", 'net.Socket.connect'],
    ['fetch', "fetch('http://example.invalid').catch(() => 0);", 'dns.lookup'],
    ['a look-up', "import { lookup } from 'node:dns'; lookup('example.invalid', () => 0);", 'dns.lookup'],
    ['a datagram', "import d from 'node:dgram'; d.createSocket('udp4').bind(0);", 'dgram.Socket.bind'],
    ['a process', "import { spawn } from 'node:child_process'; spawn('true');", 'ChildProcess.spawn'],
  ])('%s at import is noticed', (_name, code, attempt) => {
    expect(probe([`data:text/javascript,${encodeURIComponent(code)}`]).attempts).toContain(attempt);
  });
});

/** Every declared production dependency, and every path below one that our sources import. */
function productionModules(): string[] {
  const declared = manifests
    .filter(({ folder }) => folder !== '')
    .flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {}));
  const imported = repositoryFiles()
    .filter((file) => isSource(file) && isTypeScript(file))
    .flatMap((file) => importsOf(parse(file), new Map()))
    .map(({ specifier }) => specifier)
    .filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier));
  const names = [...new Set([...declared, ...imported])];
  return names.filter((name) => !ours.has(name.split('/').slice(0, 2).join('/'))).sort();
}
