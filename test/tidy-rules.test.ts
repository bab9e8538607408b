/** A rule that cannot fail protects nothing: each is fed something bad, and something good that looks like it. */

import { describe, expect, test } from 'vitest';
import { contractsDeclaredTwice, redeclaredWireNames, schemasWithoutType, wireNames } from './tidy/contract.ts';
import { undeclaredImports } from './tidy/dependency.ts';
import { engineNamedOnlyByMain, hostDirection, packageDirection } from './tidy/direction.ts';
import { absentDocuments, brokenLinks, changelog, machinePaths, titles } from './tidy/document.ts';
import { cycles, escapes, type Import, importsOf, unreachable } from './tidy/graph.ts';
import { writtenPrompts } from './tidy/prompt.ts';
import { effects, sleeps } from './tidy/purity.ts';
import { type SourceFile, snippet } from './tidy/repository.ts';
import { emptyNames, longFiles, strayIndexes } from './tidy/shape.ts';
import { anyTypes, casts, defaultExports, doubleCasts, silencedErrors, starExports } from './tidy/syntax.ts';

const workspaces = new Map([
  ['@rostra/protocol', 'packages/protocol'],
  ['@rostra/kernel', 'packages/kernel'],
  ['@rostra/host', 'packages/host'],
]);

function importing(file: string, specifier: string): Import[] {
  return importsOf(snippet(file, `import type { A } from '${specifier}';`), workspaces);
}

describe('imports', () => {
  test('a kernel that imports the host is found, one that imports protocol is not', () => {
    expect(packageDirection(importing('packages/kernel/src/a.ts', '@rostra/host/session/a'))).toHaveLength(1);
    expect(packageDirection(importing('packages/kernel/src/a.ts', '@rostra/protocol/wire/a'))).toEqual([]);
  });

  test('a kernel that imports Node is found, its tests may', () => {
    expect(packageDirection(importing('packages/kernel/src/a.ts', 'node:fs'))).toHaveLength(1);
    expect(packageDirection(importing('packages/kernel/test/a.test.ts', 'node:fs'))).toEqual([]);
  });

  test('a package without a row in the table is found', () => {
    expect(packageDirection(importing('packages/novel/src/a.ts', 'node:fs'))).toHaveLength(1);
  });

  test('a runner that imports the host is found', () => {
    expect(packageDirection(importing('packages/runners/demo/src/a.ts', '@rostra/host/main/cli'))).toHaveLength(1);
  });

  test('a relative path into another package is found', () => {
    expect(escapes(importing('packages/kernel/src/a.ts', '../../protocol/src/a.ts'))).toHaveLength(1);
    expect(escapes(importing('packages/kernel/src/session/a.ts', '../run/a.ts'))).toEqual([]);
  });

  test('session and orchestrator that know each other are found, in both directions', () => {
    expect(hostDirection(importing('packages/host/src/session/a.ts', '../orchestrator/b.ts'))).toHaveLength(1);
    expect(hostDirection(importing('packages/host/src/orchestrator/a.ts', '../session/b.ts'))).toHaveLength(1);
    expect(hostDirection(importing('packages/host/src/http/a.ts', '../session/b.ts'))).toEqual([]);
  });

  test('an engine named outside main is found', () => {
    expect(engineNamedOnlyByMain(importing('packages/host/src/session/a.ts', '../store/sqlite/b.ts'))).toHaveLength(1);
    expect(engineNamedOnlyByMain(importing('packages/host/src/store/commit.ts', './memory/b.ts'))).toHaveLength(1);
    expect(engineNamedOnlyByMain(importing('packages/host/src/main/a.ts', '../store/sqlite/b.ts'))).toEqual([]);
    expect(engineNamedOnlyByMain(importing('packages/host/src/store/sqlite/a.ts', './b.ts'))).toEqual([]);
  });

  test('an undeclared dependency is found', () => {
    const manifests = new Map([
      ['', { name: 'rostra', version: '1.0.0', devDependencies: { vitest: '1.0.0' } }],
      ['packages/host', { name: '@rostra/host', version: '1.0.0', dependencies: { hono: '1.0.0' } }],
    ]);
    expect(undeclaredImports(importing('packages/host/src/a.ts', 'left-pad/sub'), manifests)).toHaveLength(1);
    expect(undeclaredImports(importing('packages/host/src/a.ts', 'vitest'), manifests)).toHaveLength(1);
    expect(undeclaredImports(importing('packages/host/src/a.ts', 'hono/sse'), manifests)).toEqual([]);
    expect(undeclaredImports(importing('packages/host/test/a.test.ts', 'vitest'), manifests)).toEqual([]);
  });
});

describe('graph', () => {
  const a = snippet('a.ts', "import type { B } from './b.ts';");
  const b = snippet('b.ts', "export type B = import('./c.ts').C;");
  const c = snippet('c.ts', "const later = () => import('./a.ts');");
  const imports = (...files: SourceFile[]) => files.flatMap((file) => importsOf(file, workspaces));

  test('a cycle of a type import, an import type and a dynamic import is found', () => {
    expect(cycles(imports(a, b, c))).toEqual([['a.ts', 'b.ts', 'c.ts']]);
    expect(cycles(imports(a, b))).toEqual([]);
  });

  test('a file that imports itself is a cycle', () => {
    expect(cycles(imports(snippet('s.ts', "import { x } from './s.ts';")))).toEqual([['s.ts']]);
  });

  test('a file that only dead files import is dead', () => {
    expect(unreachable([a, b, c], imports(a, b), ['c.ts'])).toEqual(['a.ts', 'b.ts']);
    expect(unreachable([a, b, c], imports(a, b, c), ['c.ts'])).toEqual([]);
  });

  test('a worker named by its address is reached', () => {
    const main = snippet('main.ts', "new Worker(new URL('./worker.ts', import.meta.url));");
    expect(unreachable([main, snippet('worker.ts', '')], imports(main), ['main.ts'])).toEqual([]);
  });
});

describe('shape', () => {
  test('401 lines are found, 400 are not', () => {
    expect(longFiles([snippet('a.ts', '//\n'.repeat(401))])).toHaveLength(1);
    expect(longFiles([snippet('a.ts', '//\n'.repeat(400))])).toEqual([]);
  });

  test.each(['packages/host/src/utils/a.ts', 'packages/host/src/types.ts', 'packages/host/test/helpers.test.ts'])(
    'the name %s is found',
    (path) => expect(emptyNames([{ path, text: '' }])).toHaveLength(1),
  );

  test('a name that contains such a word is not found', () => {
    expect(emptyNames([{ path: 'packages/host/src/shared-lease.ts', text: '' }])).toEqual([]);
  });

  test('an index file is found unless it is a published entry', () => {
    expect(strayIndexes([{ path: 'packages/host/src/index.ts', text: '' }], ['p/src/index.ts'])).toHaveLength(1);
    expect(strayIndexes([{ path: 'p/src/index.ts', text: '' }], ['p/src/index.ts'])).toEqual([]);
  });
});

describe('syntax', () => {
  test.each([
    ['export * from', starExports, "export * from './b.ts';"],
    ['export * as', starExports, "export * as b from './b.ts';"],
    ['export default', defaultExports, 'export default 1;'],
    ['export default function', defaultExports, 'export default function f() {}'],
    ['any', anyTypes, 'const a: Record<string, any> = {};'],
    ['as any', anyTypes, 'const a = b as any;'],
    ['a directive', silencedErrors, `// @ts-${'ignore'}`],
    ['as unknown as', doubleCasts, 'const a = b as unknown as string;'],
    ['a bracketed double cast', doubleCasts, 'const a = (b as unknown) as string;'],
  ])('%s is found', (_name, rule, text) => {
    expect(rule([snippet('packages/host/src/a.ts', text)])).toHaveLength(1);
  });

  test('a cast is found, a const assertion and satisfies are not, nor a file on the list', () => {
    const file = snippet('packages/host/src/a.ts', 'const a = b as string;');
    expect(casts([file], new Set())).toHaveLength(1);
    expect(casts([file], new Set([file.path]))).toEqual([]);
    expect(casts([snippet('a.ts', "const a = ['x'] as const; const b = 1 satisfies number;")], new Set())).toEqual([]);
  });
});

describe('contracts', () => {
  const protocol = snippet(
    'packages/protocol/src/wire/method.ts',
    "export const Method = z.enum(['RUN_AGENT', 'RUN_ALIVE', 'text']); export type Method = z.infer<typeof Method>;",
  );

  test('a schema without a type of its name is found', () => {
    expect(schemasWithoutType([protocol])).toEqual([]);
    const text = 'export const taskSchema = z.object({}).strict(); export type Task = z.infer<typeof taskSchema>;';
    expect(schemasWithoutType([snippet('packages/protocol/src/a.ts', text)])).toHaveLength(1);
  });

  test('a contract declared again is found, as a schema and as an interface', () => {
    const schema = snippet('packages/host/src/a.ts', 'export const Method = z.string();');
    const type = snippet('packages/host/src/b.ts', 'export interface Method { a: string }');
    expect(contractsDeclaredTwice([protocol, schema])).toHaveLength(1);
    expect(contractsDeclaredTwice([protocol, type])).toHaveLength(1);
    expect(contractsDeclaredTwice([protocol])).toEqual([]);
  });

  test.each([
    ["const method = 'RUN_AGENT';", 1],
    ["type Own = 'RUN_AGENT' | 'RUN_ALIVE';", 1],
    ["const own = z.literal('RUN_AGENT');", 1],
    ["const method: Method = 'RUN_AGENT';", 0],
    ["type Own = MethodsOf<'RUN_AGENT' | 'RUN_ALIVE'>;", 0],
    ["if (frame.method === 'RUN_AGENT') send({ method: 'RUN_ALIVE' });", 0],
    ["const plain = 'text';", 0],
  ])('%s → %i', (text, count) => {
    const names = wireNames([protocol]);
    expect(redeclaredWireNames([protocol, snippet('packages/host/src/a.ts', text)], names)).toHaveLength(count);
  });
});

describe('purity', () => {
  test.each([
    'const t = new Date();',
    'const t = Date.now();',
    'const r = Math.random();',
    'const t = performance.now();',
    'setTimeout(f, 1);',
    'const e = process.env;',
    'async function f() {}',
  ])('%s is found in the kernel', (text) => {
    expect(effects([snippet('packages/kernel/src/a.ts', text)])).toHaveLength(1);
  });

  test('a field of such a name is not found', () => {
    const text = 'const a = turn.process; const b = { setTimeout: 1 }; const c = Math.min(1, 2);';
    expect(effects([snippet('packages/kernel/src/a.ts', text)])).toEqual([]);
  });

  test.each([
    ['await new Promise((resolve) => setTimeout(resolve, 500));', 1],
    ['await new Promise((done) => { setTimeout(done, 1_000); });', 1],
    ['await setTimeout(100);', 1],
    ['await sleep(51);', 1],
    ['await sleep(50);', 0],
    ['await new Promise((resolve, reject) => { setTimeout(reject, 5_000); socket.once("open", resolve); });', 0],
  ])('%s → %i sleeps', (text, count) => {
    expect(sleeps([snippet('packages/host/test/a.test.ts', text)])).toHaveLength(count);
  });
});

describe('documents', () => {
  const page = (text: string, path = 'docs/a.md') => [{ path, text }];

  test('a second title is found, one inside a fence is not', () => {
    expect(titles(page('# A\n\n# B\n'))).toHaveLength(1);
    expect(titles(page('# A\n\n```sh\n# comment\n```\n'))).toEqual([]);
  });

  test('a link that leads nowhere is found, by file and by heading', () => {
    expect(brokenLinks(page('# A\n[b](b.md)'))).toHaveLength(1);
    expect(brokenLinks(page('# A\n[b](#nothing)'))).toHaveLength(1);
    expect(brokenLinks(page('# A b\n[b](#a-b) [c](https://example.org) [d](./a.md)'))).toEqual([]);
  });

  test('a cited document that is not here is found', () => {
    expect(absentDocuments(page('# A\nsee plan.md'))).toHaveLength(1);
    expect(absentDocuments(page('# A\nsee docs/a.md'))).toEqual([]);
  });

  test('a path of one machine is found', () => {
    expect(machinePaths(page(`see /${'home'}/someone/notes`))).toHaveLength(1);
    expect(machinePaths(page('see /api/v1/agent/runs and https://example.org/home/x'))).toEqual([]);
  });

  test('a changelog without [Unreleased] is found', () => {
    expect(changelog(page('# Changelog', 'CHANGELOG.md'))).toHaveLength(1);
    expect(changelog(page('# Changelog\n\n## [Unreleased]\n', 'CHANGELOG.md'))).toEqual([]);
  });
});

describe('prompts', () => {
  const found = (text: string, file = 'packages/host/src/a.ts') => writtenPrompts([snippet(file, text)], new Set());

  test.each([
    "const first = { role: 'system', content };",
    "const ask = 'Summarize the conversation so far.';",
    ['const ask = `You are the assistant of $', '{name}.`;'].join(''),
  ])('%s is found in a host', (text) => expect(found(text)).toHaveLength(1));

  test('what passes on somebody’s words is not found, nor what a runner writes', () => {
    expect(found("const said = { role: 'user', content }; const row = { role: row.role };")).toEqual([]);
    expect(found("const hint = 'Answer the question about its budget.';")).toEqual([]);
    expect(found("const first = { role: 'system', content };", 'packages/runners/demo/src/a.ts')).toEqual([]);
  });
});
