import { isBuiltin } from 'node:module';
import type { Import } from './graph.ts';
import { type Finding, isTest, packageOf } from './repository.ts';

/** Who may import whom, between packages. A package that is not here yet needs a row before it may exist. */
const packageEdges: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  kernel: ['protocol'],
  transport: ['protocol'],
  host: ['protocol', 'kernel', 'transport', 'client'],
  'runner-sdk': ['protocol', 'transport'],
  runners: ['runner-sdk'],
  client: ['protocol'],
  console: ['protocol', 'client'],
};

/** Packages that run anywhere: nothing of Node in them. */
const anywhere = new Set(['protocol', 'kernel', 'client', 'console']);

/**
 * Who may import whom, between the folders of the host. `session` and `orchestrator` do not know each other: they meet
 * on the bus.
 */
const hostEdges: Readonly<Record<string, readonly string[]>> = {
  store: [],
  config: ['store', 'discovery'],
  bus: [],
  metrics: ['store', 'bus'],
  budget: ['store', 'discovery', 'orchestrator'],
  session: ['store', 'bus'],
  projection: ['store', 'session'],
  orchestrator: ['store', 'bus', 'discovery'],
  discovery: ['store', 'bus'],
  conformance: [],
  access: ['store', 'session'],
  attachments: ['store', 'session'],
  interactions: ['store', 'session', 'orchestrator'],
  proxy: ['store', 'bus', 'capabilities', 'orchestrator', 'interactions'],
  capabilities: ['store'],
  entries: ['session', 'store', 'bus', 'discovery'],
  http: ['session', 'projection', 'interactions', 'access', 'attachments', 'store', 'bus'],
  main: [
    'access',
    'attachments',
    'budget',
    'conformance',
    'store',
    'config',
    'bus',
    'metrics',
    'session',
    'projection',
    'orchestrator',
    'discovery',
    'interactions',
    'proxy',
    'capabilities',
    'entries',
    'http',
  ],
};

const engine = /^packages\/host\/src\/(?:store|bus)\/(?:memory|sqlite|postgres|nats)\//;

function memberOf(file: string): string | undefined {
  return packageOf(file)?.split('/')[1];
}

function hostFolder(file: string): string | undefined {
  return /^packages\/host\/src\/([^/]+)\//.exec(file)?.[1];
}

function finding({ from, line }: Import, problem: string, remedy: string): Finding {
  return { file: from.path, line, problem, remedy };
}

/** Tests of a package stand under the same table: a test of several packages belongs to the top folder `test`. */
export function packageDirection(imports: readonly Import[]): Finding[] {
  return imports.flatMap((edge) => {
    const from = memberOf(edge.from.path);
    const to = edge.to === undefined ? undefined : memberOf(edge.to);
    if (from === undefined) return [];
    const allowed = packageEdges[from];
    if (allowed === undefined) {
      return [finding(edge, `package ${from} has no row in the import table`, 'add it in test/tidy/direction.ts')];
    }
    if (!isTest(edge.from) && anywhere.has(from) && isBuiltin(edge.specifier)) {
      return [
        finding(edge, `${from} imports ${edge.specifier}`, 'move what needs Node to transport, host or a runner'),
      ];
    }
    const foreign = to !== undefined && packageOf(edge.from.path) !== packageOf(edge.to ?? '');
    if (!foreign || allowed.includes(to)) return [];
    return [
      finding(edge, `${from} must not import ${to}`, `${from} may import: ${allowed.join(', ') || 'no package'}`),
    ];
  });
}

export function hostDirection(imports: readonly Import[]): Finding[] {
  return imports.flatMap((edge) => {
    const from = hostFolder(edge.from.path);
    const to = edge.to === undefined ? undefined : hostFolder(edge.to);
    if (from === undefined || to === undefined || from === to) return [];
    const allowed = hostEdges[from];
    if (allowed?.includes(to)) return [];
    if (allowed === undefined || hostEdges[to] === undefined) {
      const folder = allowed === undefined ? from : to;
      return [finding(edge, `host/${folder} has no row in the import table`, 'add it in test/tidy/direction.ts')];
    }
    return [
      finding(edge, `host/${from} must not import host/${to}`, `it may import: ${allowed.join(', ') || 'nothing'}`),
    ];
  });
}

/** An engine is chosen in one place; everyone else knows its port. */
export function engineNamedOnlyByMain(imports: readonly Import[]): Finding[] {
  return imports
    .filter(({ from, to }) => {
      const target = engine.exec(to ?? '')?.[0];
      if (target === undefined || isTest(from) || packageOf(from.path) === undefined) return false;
      return !from.path.startsWith(target) && hostFolder(from.path) !== 'main';
    })
    .map((edge) =>
      finding(edge, `names the engine ${edge.to}`, 'import the port; only host/src/main chooses an engine'),
    );
}
