import { chmodSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RunnerSource } from '@rostra/protocol/config/host-config';
import { limits } from '@rostra/protocol/wire/limits';
import { describe, expect, test } from 'vitest';
import { readSources } from '../../src/discovery/source-reader.ts';
import { privateFolder } from './pool-world.ts';

const environment = { PATH: process.env.PATH };

/** A folder with these files; objects are written as JSON. */
function folderWith(files: Record<string, unknown>, folder = realpathSync(privateFolder())): string {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

function read(folder: string, ...sources: unknown[]) {
  const ground = { folder, host_folder: '/nowhere', environment };
  return readSources(
    sources.map((source) => RunnerSource.parse(source)),
    ground,
  );
}

function reasonOf(folder: string, source: unknown): string {
  const { packages, skipped } = read(folder, source);
  expect(packages).toEqual([]);
  expect(skipped).toHaveLength(1);
  return skipped[0]?.reason ?? '';
}

describe('a folder', () => {
  test('says in rostra-runner.json how it is started', () => {
    const base = folderWith({
      'runner/rostra-runner.json': { command: ['node', 'main.js', '--fast'], env: { MODE: 'x' }, name: 'mine' },
      'runner/main.js': '',
    });
    const folder = path.join(base, 'runner');
    expect(read(base, './runner').packages).toEqual([
      {
        name: 'mine',
        origin: 'path',
        source: folder,
        enabled: true,
        processes: 'shared',
        isolation: 'trusted',
        command: { command: process.execPath, args: ['main.js', '--fast'], cwd: folder, env: { MODE: 'x' } },
        folders: [folder],
      },
    ]);
    const changed = { path: folder, name: 'other', env: { MODE: 'y' }, isolation: 'strict', processes: 'session' };
    expect(read('/', changed).packages).toMatchObject([
      { name: 'other', isolation: 'strict', processes: 'session', command: { env: { MODE: 'y' } } },
    ]);
  });

  test.each([
    ['the field rostra, a script', { name: 'p', rostra: './run.js', bin: 'no.js' }, ['./run.js']],
    ['the field rostra, a command', { name: 'p', rostra: { command: ['node', 'run.js', 'now'] } }, ['run.js', 'now']],
    ['its one program', { name: 'p', bin: 'run.js' }, ['run.js']],
    ['the program of its own name', { name: '@a/p', bin: { other: 'no.js', p: 'run.js' } }, ['run.js']],
  ])('may say so in package.json by %s', (_, manifest, args) => {
    const base = folderWith({ 'package.json': manifest, 'run.js': '' });
    const [found] = read(base, { path: '.' }).packages;
    expect(found).toMatchObject({ name: manifest.name, command: { command: process.execPath, args, cwd: base } });
  });

  test('may hold a program of its own', () => {
    const base = folderWith({ 'rostra-runner.json': { command: 'bin/run' }, 'bin/run': '#!/bin/sh\n' });
    expect(reasonOf(base, './')).toContain(`the command ${JSON.stringify(path.join(base, 'bin/run'))} is not found`);
    chmodSync(path.join(base, 'bin/run'), 0o755);
    expect(read(base, './').packages).toMatchObject([{ command: { command: path.join(base, 'bin/run') } }]);
  });

  test('that is not there, or is none, is named', () => {
    const base = folderWith({ file: '' });
    expect(reasonOf(base, './gone')).toBe(
      `The runner source "./gone" is left out: there is no folder ${path.join(base, 'gone')}.`,
    );
    expect(reasonOf(base, './file')).toContain('is no folder');
    expect(reasonOf(base, './file/below')).toContain('there is no folder');
    expect(reasonOf(base, '.')).toContain('has neither a rostra-runner.json nor a package.json');
  });

  test.each([
    ['{\n  "command": ["node", "x.js",]\n}', 'line 2, column 30'],
    ['{"command": x}', 'line 1, column 13'],
    ['{\n\n"command": "node"\n"env": {}}', 'line 4, column 1'],
    ['{"command": "node"', 'line 1, column 19'],
    ['', 'line 1, column 1'],
  ])('with a file that is not JSON says where: %j', (text, place) => {
    const base = folderWith({ 'rostra-runner.json': text });
    expect(reasonOf(base, './')).toContain(`rostra-runner.json is not JSON: ${place}.`);
  });

  test('with an unknown or wrong field names it', () => {
    expect(reasonOf(folderWith({ 'rostra-runner.json': { command: [] } }), './')).toContain('command');
    expect(reasonOf(folderWith({ 'rostra-runner.json': { command: 'node', comand: 1 } }), './')).toContain('comand');
    expect(reasonOf(folderWith({ 'package.json': { name: 'p' } }), './')).toContain('neither the field "rostra" nor');
    const long = { command: 'x'.repeat(limits.runner_file_bytes) };
    expect(reasonOf(folderWith({ 'rostra-runner.json': long }), './')).toContain('is larger than');
  });

  test.each([
    ['a script outside', { command: ['node', '../evil.js'] }],
    ['a program outside', { command: ['../evil.js'] }],
    ['a program outside by a detour', { command: ['./a/../../evil.js'] }],
    ['a working folder outside', { command: ['node', '-v'], cwd: '..' }],
    ['a script behind a link', { command: ['node', 'link.js'] }],
    ['a script in a folder behind a link', { command: ['node', 'up/evil.js'] }],
    ['a program behind a link', { command: ['./link.js'] }],
  ])('that names %s is refused (check 41)', (_, file) => {
    const base = folderWith({ 'evil.js': '', 'runner/rostra-runner.json': file, 'runner/a/x': '' });
    symlinkSync('../evil.js', path.join(base, 'runner', 'link.js'));
    symlinkSync('..', path.join(base, 'runner', 'up'));
    expect(reasonOf(base, './runner')).toMatch(/lies outside of its folder|is a link that leads out of its folder/);
  });

  test('whose file itself is a link to elsewhere is refused (check 41)', () => {
    const base = folderWith({ 'elsewhere.json': { command: ['node', '-v'] }, 'runner/x': '' });
    symlinkSync('../elsewhere.json', path.join(base, 'runner', 'rostra-runner.json'));
    expect(reasonOf(base, './runner')).toContain('rostra-runner.json is a link that leads out of its folder');
  });

  test('that names a script which is not there says so', () => {
    const base = folderWith({ 'rostra-runner.json': { command: ['node', 'gone.js'] } });
    expect(reasonOf(base, './')).toContain('there is no gone.js in');
  });
});

describe('a package by name', () => {
  const manifest = { name: '@some/runner', bin: 'main.js' };
  const files = { 'package.json': manifest, 'main.js': '' };

  test('is found where Node would find it, is confined and has a process per run', () => {
    const base = folderWith({ 'app/x': '' });
    const folder = folderWith(files, path.join(base, 'node_modules/@some/runner'));
    expect(read(path.join(base, 'app'), '@some/runner').packages).toEqual([
      {
        name: '@some/runner',
        origin: 'package',
        source: '@some/runner',
        enabled: true,
        processes: 'run',
        isolation: 'confined',
        command: { command: process.execPath, args: ['main.js'], cwd: folder, env: {} },
        folders: [folder, path.join(base, 'node_modules')],
      },
    ]);
    const trusted = { package: '@some/runner', isolation: 'trusted' };
    expect(read(base, trusted).packages).toMatchObject([{ isolation: 'trusted', processes: 'shared' }]);
  });

  test('is found beside the host, too', () => {
    const host_folder = folderWith({});
    folderWith(files, path.join(host_folder, 'node_modules/@some/runner'));
    const ground = { folder: folderWith({}), host_folder, environment };
    expect(readSources(['@some/runner'], ground).packages).toHaveLength(1);
  });

  test('that is not installed says what to run; nothing is installed', () => {
    const base = folderWith({});
    expect(reasonOf(base, '@some/runner')).toBe(
      `The runner source "@some/runner" is left out: the package is not installed. Run "npm install @some/runner" in ${base}.`,
    );
  });

  test.each(['mine', 'My Runner', 'a/b'])('that is the folder %j leads to no stranger of this name', (name) => {
    const base = folderWith({ 'main.js': '' });
    folderWith({ 'main.js': '' }, path.join(base, name));
    expect(reasonOf(base, name)).toContain(`a folder is named by its path: ./${name}.`);
  });

  test.each(['..', 'a/../../b', 'UPPER', '@x', 'a b'])('cannot be called %j', (name) => {
    expect(reasonOf(folderWith({}), { package: name })).toContain('neither a path nor the name of a package');
  });

  test('whose package.json has another name is refused', () => {
    const base = folderWith({});
    folderWith(
      { ...files, 'package.json': { ...manifest, name: 'other' } },
      path.join(base, 'node_modules/@some/runner'),
    );
    expect(reasonOf(base, '@some/runner')).toContain('is the package "other", not the one that was asked for');
  });

  test('whose program leads out of it is refused', () => {
    const base = folderWith({ 'evil.js': '' });
    const folder = folderWith(
      { 'package.json': { ...manifest, bin: '../../../evil.js' } },
      path.join(base, 'node_modules/@some/runner'),
    );
    expect(reasonOf(base, '@some/runner')).toContain('lies outside of its folder');
    folderWith(files, folder);
    symlinkSync('../../../evil.js', path.join(folder, 'link.js'));
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ ...manifest, bin: 'link.js' }));
    expect(reasonOf(base, '@some/runner')).toContain('is a link that leads out of its folder');
  });
});

describe('a command', () => {
  test('is looked up in the path; a relative one in its folder', () => {
    const base = folderWith({ 'tools/run': '#!/bin/sh\n' });
    chmodSync(path.join(base, 'tools/run'), 0o755);
    const sources = [
      { command: ['sh', '-c', 'true'], name: 'one' },
      { command: ['./run'], name: 'two', cwd: 'tools' },
    ];
    expect(read(base, ...sources).packages).toMatchObject([
      { name: 'one', origin: 'command', isolation: 'trusted', command: { command: expect.stringMatching(/\/sh$/) } },
      { name: 'two', command: { command: path.join(base, 'tools/run'), cwd: path.join(base, 'tools') } },
    ]);
  });

  test('that is not found is named', () => {
    expect(reasonOf(folderWith({}), { command: ['no-such-program'], name: 'x' })).toContain(
      'the command "no-such-program" is not found',
    );
  });
});

test('one bad source hides no good one, and two packages cannot have one name', () => {
  const base = folderWith({ 'rostra-runner.json': { command: ['node', '-v'], name: 'here' } });
  const found = read(base, './gone', '.', { command: ['sh'], name: 'here' }, { remote: 'far', token: 't' });
  expect(found.packages.map(({ name }) => name)).toEqual(['here', 'far']);
  expect(found.skipped.map(({ reason }) => reason)).toEqual([
    expect.stringContaining('there is no folder'),
    expect.stringContaining('another package is named here'),
  ]);
});

test.each(['..', 'a\nb', 'x'.repeat(200)])('a package cannot be named %j', (name) => {
  expect(reasonOf(folderWith({}), { remote: name, token: 't' })).toContain('cannot be the name of a package');
});
