import { isBuiltin } from 'node:module';
import { type Import, packageName } from './graph.ts';
import { type Finding, isTest, packageOf } from './repository.ts';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Folder → package.json; the root is ''. */
export type Manifests = ReadonlyMap<string, Manifest>;

function declared(edge: Import, manifests: Manifests): Set<string> {
  const folder = packageOf(edge.from.path) ?? '';
  const own = manifests.get(folder);
  const names = new Set([own?.name ?? '', ...Object.keys(own?.dependencies ?? {})]);
  const development = isTest(edge.from) || folder === '';
  if (!development) return names;
  for (const name of Object.keys(manifests.get('')?.devDependencies ?? {})) names.add(name);
  // Tests and scripts of the repository are not a package: they may use every package, but nothing undeclared.
  if (folder === '') {
    for (const manifest of manifests.values()) {
      names.add(manifest.name);
      for (const name of Object.keys(manifest.dependencies ?? {})) names.add(name);
    }
  }
  return names;
}

export function undeclaredImports(imports: readonly Import[], manifests: Manifests): Finding[] {
  return imports
    .filter(({ specifier }) => !specifier.startsWith('.') && !isBuiltin(specifier))
    .filter((edge) => !declared(edge, manifests).has(packageName(edge.specifier)))
    .map(({ from, line, specifier }) => ({
      file: from.path,
      line,
      problem: `${packageName(specifier)} is not a dependency of ${manifests.get(packageOf(from.path) ?? '')?.name}`,
      remedy: 'declare it in the package.json of this package, with an exact version',
    }));
}
