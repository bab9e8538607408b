/** What no linter enforces. Every rule is its own test, and its message says where, what, and what to do about it. */

import { expect, test } from 'vitest';
import { contractsDeclaredTwice, redeclaredWireNames, schemasWithoutType, wireNames } from './tidy/contract.ts';
import { type Manifest, undeclaredImports } from './tidy/dependency.ts';
import { engineNamedOnlyByMain, hostDirection, packageDirection } from './tidy/direction.ts';
import { absentDocuments, brokenLinks, changelog, machinePaths, titles } from './tidy/document.ts';
import { cycles, escapes, importsOf, unreachable } from './tidy/graph.ts';
import { writtenPrompts } from './tidy/prompt.ts';
import { effects, sleeps } from './tidy/purity.ts';
import {
  type Finding,
  isConfig,
  isSource,
  isTest,
  isTypeScript,
  packageOf,
  parse,
  repositoryFiles,
} from './tidy/repository.ts';
import { emptyNames, longFiles, strayIndexes } from './tidy/shape.ts';
import { anyTypes, casts, defaultExports, doubleCasts, silencedErrors, starExports } from './tidy/syntax.ts';

/** Files that turn foreign data into ours, where a cast is the honest word → the reason. */
const mayCast = new Map<string, string>([
  ['packages/host/src/proxy/call-params.ts', 'params, checked by the schema that their method chooses'],
  ['packages/host/src/proxy/gate.ts', 'a service, chosen by the name of its method'],
  ['packages/host/src/session/record-line.ts', 'rows, whose hash chain was verified'],
  ['packages/host/src/session/session-loader.ts', 'rows, whose hash chain was verified'],
  ['packages/host/src/store/memory/promised.ts', 'a port put together from its calls by name'],
  ['packages/host/src/main/code-cache.ts', "Node's loader, which its types do not show, and a file of our own"],
  ['packages/host/src/store/sqlite/back-up.ts', 'rows'],
  ['packages/host/src/store/sqlite/driver.ts', 'one of two SQLite modules, loaded at run time'],
  ['packages/host/src/store/sqlite/inspection.ts', 'rows'],
  ['packages/host/src/store/sqlite/json-column.ts', 'rows'],
  ['packages/host/src/store/sqlite/lease-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/packed-units.ts', 'values from another thread, in the order of their fields'],
  ['packages/host/src/store/sqlite/read-thread.ts', 'answers of another thread, by the name of the call'],
  ['packages/host/src/store/sqlite/reader.ts', 'rows'],
  ['packages/host/src/store/sqlite/remote-port.ts', 'a port put together from its calls by name'],
  ['packages/host/src/store/sqlite/replay.ts', 'rows'],
  ['packages/host/src/http/api-route.ts', 'a handler, which the router calls with what its own operation parsed'],
  ['packages/host/src/store/sqlite/segment-row.ts', 'rows'],
  ['packages/host/src/store/sqlite/session-heads.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/artifact-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/audit-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/care-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/chunk-finder.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/document-row.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/dossier-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/knowledge-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/event-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/interaction-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/registry-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/run-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/session-cards.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/state-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/storage-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/shown-text.ts', 'rows'],
  ['packages/host/src/store/sqlite/tables/transcript-table.ts', 'rows'],
  ['packages/host/src/store/sqlite/tail-reader.ts', 'rows'],
  ['packages/host/src/store/sqlite/turn-row.ts', 'rows'],
  ['packages/kernel/src/session/rules.ts', 'a look-up by two fields, which the compiler cannot follow'],
  ['packages/protocol/src/session/message-factory.ts', 'a member of a union, chosen by two type parameters'],
  ['packages/runner-sdk/src/run-calls.ts', 'an object made from a table, which the compiler cannot follow'],
]);

/** Files that make a message of what somebody else wrote, word for word: an agent's owner for `prompt.get`, a tool server. */
const mayPrompt = new Set([
  'packages/host/src/config/agent-bindings.ts',
  'packages/host/src/capabilities/models/model-prompt.ts',
  'packages/host/src/capabilities/tools/mcp/sampling.ts',
]);

/** Entries of published packages: the only index files. */
const published = ['packages/runner-sdk/src/index.ts', 'packages/client/src/index.ts'];

/** What a new runner is made of: runs outside this repository. */
const template = /^packages\/runner-sdk\/template\//;

const files = repositoryFiles();
const modules = files.filter(isTypeScript).map(parse);
const sources = modules.filter(isSource);
const manifests = new Map(
  files
    .filter(({ path }) => /(^|\/)package\.json$/.test(path))
    .map(({ path, text }): [string, Manifest] => [path.replace(/\/?package\.json$/, ''), JSON.parse(text)]),
);
const workspaces = new Map([...manifests].map(([folder, { name }]) => [name, folder]));
const imports = modules.flatMap((file) => importsOf(file, workspaces));

function expectNone(findings: readonly Finding[]): void {
  const lines = findings.map(({ file, line, problem, remedy }) => `${file}:${line} ${problem}; ${remedy}`);
  expect(lines.join('\n')).toBe('');
}

test('packages import each other in one direction only', () => {
  expectNone(packageDirection(imports));
  expectNone(escapes(imports));
});

test('inside the host, session and orchestrator meet on the bus', () => {
  expectNone(hostDirection(imports));
});

test('only main names an engine', () => {
  expectNone(engineNamedOnlyByMain(imports));
});

test('no import cycle, not even of types', () => {
  expect(cycles(imports).map((files) => files.join(' → '))).toEqual([]);
});

test('every imported file exists', () => {
  const known = new Set(files.map(({ path }) => path));
  const lost = imports.filter(({ to }) => to !== undefined && !known.has(to) && !to.endsWith('.json'));
  expectNone(
    lost.map(({ from, line, to }) => ({ file: from.path, line, problem: `no file ${to}`, remedy: 'correct it' })),
  );
});

test('no file is dead', () => {
  const scripts = Object.values<string>(JSON.parse(files.find(({ path }) => path === 'package.json')!.text).scripts);
  const entries = modules
    .map(({ path }) => path)
    .filter(
      (path) =>
        path.endsWith('.test.ts') ||
        published.includes(path) ||
        template.test(path) ||
        isConfig({ path, text: '' }) ||
        scripts.some((script) => script.includes(path)) ||
        // Threads, programs and pages are started by the names of their files.
        /^packages\/host\/src\/.*\/(?:[a-z]+-)?worker\.ts$/.test(path) ||
        /^packages\/(?:host\/src\/main\/(?:cli|code-cache)|runners\/[^/]+\/src\/main|console\/src\/main)\.tsx?$/.test(
          path,
        ) ||
        /^examples\/[^/]+\/main\.tsx?$/.test(path),
    );
  // A fixture is started by name as a process of its own.
  const fixtures = modules.map(({ path }) => path).filter((path) => /\/fixtures\//.test(path));
  const dead = unreachable(modules, imports, [...entries, ...fixtures]);
  const remedy = 'import it, or delete it';
  expectNone(dead.map((file) => ({ file, line: 1, problem: 'no program and no test leads here', remedy })));
});

test('every import is a declared dependency of its package', () => {
  expectNone(undeclaredImports(imports, manifests));
});

test('no file is longer than 400 lines', () => {
  expectNone(longFiles(files));
});

test('no file or folder has a name that says nothing', () => {
  expectNone(emptyNames(files));
});

test('an index file is the entry of a published package', () => {
  expectNone(strayIndexes(files, published));
});

test('nothing is exported by star or by default', () => {
  expectNone(starExports(modules));
  expectNone(defaultExports(modules.filter((file) => !isConfig(file))));
});

test('the compiler is never silenced', () => {
  expectNone(anyTypes(modules));
  expectNone(silencedErrors(sources));
  expectNone(doubleCasts(sources));
});

test('casts stand only where rows and foreign SDKs are decoded', () => {
  expectNone(casts(sources, new Set(mayCast.keys())));
});

test('the list of files that may cast has no idle entry', () => {
  const idle = [...mayCast.keys()].filter(
    (path) =>
      casts(
        sources.filter((file) => file.path === path),
        new Set(),
      ).length === 0,
  );
  expect(idle).toEqual([]);
});

test('a schema and its type share one name', () => {
  expectNone(schemasWithoutType(sources));
});

test('no contract is declared twice', () => {
  expectNone(contractsDeclaredTwice(sources));
});

test('wire names are declared in protocol only', () => {
  expectNone(redeclaredWireNames(modules, wireNames(modules)));
});

test('host and kernel write no prompt (RP-1.3)', () => {
  expectNone(writtenPrompts(sources, mayPrompt));
  expect(new Set(writtenPrompts(sources, new Set()).map(({ file }) => file))).toEqual(mayPrompt);
});

test('the kernel has no clock, chance, waiting or world', () => {
  expectNone(effects(sources.filter(({ path }) => packageOf(path) === 'packages/kernel')));
});

test('tests wait for events, not for time', () => {
  expectNone(sleeps(modules.filter((file) => isTest(file) && !file.path.startsWith('test/bench/'))));
});

test('nothing names the machine or the place it was written on', () => {
  expectNone(machinePaths(files));
});

test('documents have one title, and their links lead somewhere', () => {
  expectNone(titles(files));
  expectNone(brokenLinks(files));
});

test('a document that is cited is in the repository', () => {
  expectNone(absentDocuments(files));
});

test('the changelog has an [Unreleased] section', () => {
  expectNone(changelog(files));
});
