import { defineConfig, type Rolldown, type UserConfig } from 'tsdown';

interface Program {
  readonly outDir: string;
  /** Name of the file in `outDir`, without extension → its source. */
  readonly entry: Readonly<Record<string, string>>;
  /** What else becomes one file with all that it imports at once. The entry does always: a start reads few files. */
  readonly together?: Readonly<Record<string, string>>;
  /** For others to import, and not to run: left as it is written, an ES module. */
  readonly isLibrary?: boolean;
  /** In browsers too: nothing of Node may be in it. */
  readonly isForBrowsers?: boolean;
}

const host = 'packages/host/dist';

const programs: readonly Program[] = [
  {
    outDir: host,
    entry: { cli: 'packages/host/src/main/cli.ts' },
    together: {
      start: 'packages/host/src/main/commands/start.ts',
      host: 'packages/host/src/main/embedded.ts',
    },
  },
  { outDir: host, entry: { 'sqlite-worker': 'packages/host/src/store/sqlite/worker.ts' } },
  {
    outDir: host,
    entry: { 'document-worker': 'packages/host/src/capabilities/knowledge/documents/document-worker.ts' },
  },
  { outDir: host, entry: { 'token-worker': 'packages/host/src/capabilities/models/token-worker.ts' } },
  { outDir: host, entry: { 'page-worker': 'packages/host/src/capabilities/tools/own/page-worker.ts' } },
  { outDir: 'packages/runners/demo/dist', entry: { main: 'packages/runners/demo/src/main.ts' } },
  { outDir: 'packages/runners/local-agent/dist', entry: { main: 'packages/runners/local-agent/src/main.ts' } },
  {
    // What a runner outside this repository is given: see scripts/pack-sdk.ts.
    outDir: 'packages/runner-sdk/dist',
    entry: { index: 'packages/runner-sdk/src/index.ts', testing: 'packages/runner-sdk/src/testing.ts' },
    isLibrary: true,
  },
  {
    // What an application is given, in this checkout and outside of it: see scripts/pack-client.ts.
    outDir: 'packages/client/dist',
    entry: { index: 'packages/client/src/index.ts' },
    isLibrary: true,
    isForBrowsers: true,
  },
];

/**
 * Everything is bundled, also npm packages: one file is read several times faster than a tree of small ones, and a
 * start must be quick. Only the native ones stay outside, because they find their binaries beside their own files.
 * Programs are CommonJS, since only of that can Node 20 keep the compiled code.
 */
function bundle({ outDir, entry, together = {}, isLibrary = false, isForBrowsers = false }: Program): UserConfig {
  const [name = ''] = Object.keys(entry);
  return {
    outDir,
    entry: { ...entry },
    format: isLibrary ? 'esm' : 'cjs',
    platform: isForBrowsers ? 'neutral' : 'node',
    target: isForBrowsers ? 'es2022' : 'node20.19',
    tsconfig: 'tsconfig.json',
    fixedExtension: false,
    hash: false,
    dts: false,
    // A host may be running from this folder, and its lazy chunks must not vanish under it.
    clean: false,
    sourcemap: true,
    report: false,
    logLevel: 'warn',
    // Packages of this repository give their sources here, and what was built of them to everybody else.
    inputOptions: {
      resolve: { conditionNames: ['rostra-source', 'module', ...(isForBrowsers ? [] : ['node']), 'default'] },
    },
    deps: { alwaysBundle: [/.*/], neverBundle: ['@photostructure/sqlite', 'sqlite-vec'], onlyBundle: false },
    ...(isLibrary
      ? {}
      : { outExtensions: () => ({ js: '.js' }), plugins: [commonJsFolder(), lateSchemas(), plainText()] }),
    outputOptions: isLibrary
      ? {}
      : {
          strict: true,
          // Code that was kept cannot import; it can require.
          dynamicImportInCjs: false,
          exports: 'named',
          chunkFileNames: ({ name: chunk }) => (chunk === name ? `${name}-main.js` : `${name}-${chunk}.js`),
          codeSplitting:
            name === 'code-cache'
              ? false
              : {
                  includeDependenciesRecursively: false,
                  groups: [schemas, ...Object.entries({ ...entry, ...together }).map(group)],
                },
          banner: ({ isEntry, name }) =>
            isEntry && name !== 'code-cache' ? '"use strict";require("./code-cache.js").keepCode(__filename);' : '',
        },
  };
}

type InfoOf = (id: string) => Rolldown.ModuleInfo | null;

/** A module and everything that is loaded with it at once. */
function reachOf(id: string, infoOf: InfoOf, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const next of infoOf(id)?.importedIds ?? []) reachOf(next, infoOf, found);
  return found;
}

/** All that a source loads at once, less what an earlier group has taken. */
function group([name, source]: [string, string], at: number): Rolldown.CodeSplittingGroup {
  let found: Set<string> | undefined;
  return {
    name: (id, context) => {
      const infoOf: InfoOf = (each) => context.getModuleInfo(each);
      found ??= reachOf(`${import.meta.dirname}/${source}`, infoOf);
      return found.has(id) && infoOf(id)?.isEntry !== true ? name : null;
    },
    priority: 10 - at,
  };
}

const isZod = (id: string) => id.includes('/node_modules/zod/');

/**
 * Building a schema takes longer than anything else that a module does while it loads, and most wait for a request. So
 * each module of the protocol that has any is a file of its own; zod and the others are there before all of them.
 */
const schemas: Rolldown.CodeSplittingGroup = {
  name: (id, context) => {
    const [, path] = id.split('/packages/protocol/src/');
    if (path === undefined) return isZod(id) ? 'ground' : null;
    const isSchema = [...reachOf(id, (each) => context.getModuleInfo(each))].some(isZod);
    return isSchema ? `schema-${path.replace('.ts', '').replaceAll('/', '-')}` : 'ground';
  },
  priority: 20,
};

/** Requires a module of schemas where one is first used, instead of where it is imported. They do nothing but exist. */
function lateSchemas(): Rolldown.Plugin {
  const imports = /^const (require_schema_\w+) = (require\(.*\));$/gm;
  return {
    name: 'late-schemas',
    renderChunk(code) {
      const names: string[] = [];
      const declared = code.replace(imports, (_, name: string, call: string) => {
        names.push(name);
        return `const ${name} = { get $() { const value = ${call}; Object.defineProperty(this, "$", { value }); return value; } };`;
      });
      if (names.length === 0) return null;
      return { code: declared.replace(new RegExp(`\\b(${names.join('|')})\\.`, 'g'), '$1.$$.'), map: null };
    },
  };
}

/** V8 keeps a source with one character beyond Latin at two bytes for each, twice the memory. */
function plainText(): Rolldown.Plugin {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return {
    name: 'plain-text',
    generateBundle(_, files) {
      for (const file of Object.values(files)) {
        if (file.type !== 'chunk') continue;
        // A character that is itself escaped loses that: it meant nothing.
        file.code = file.code.replace(/(\\*)([^\0-\x7f])/g, (_all, slashes: string, char: string) => {
          return `${slashes.length % 2 === 0 ? slashes : slashes.slice(1)}${escaped(char)}`;
        });
      }
    },
  };
}

/** The packages are of ES modules; what was built of them is not. */
function commonJsFolder(): Rolldown.Plugin {
  return {
    name: 'commonjs-folder',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' });
    },
  };
}

/** Runs before an entry asks for anything else, and is no part of it: see there. */
function codeCache(outDir: string): UserConfig {
  return bundle({ outDir, entry: { 'code-cache': 'packages/host/src/main/code-cache.ts' } });
}

const folders = new Set(programs.filter(({ isLibrary }) => isLibrary !== true).map(({ outDir }) => outDir));

export default defineConfig([...programs.map(bundle), ...[...folders].map(codeCache)]);
