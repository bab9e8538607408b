import path from 'node:path';
import ts from 'typescript';
import { type Finding, isTest, lineOf, packageOf, type SourceFile, walk } from './repository.ts';

export interface Import {
  readonly from: SourceFile;
  readonly line: number;
  readonly specifier: string;
  /** The file of this repository it leads to, if it leads to one. */
  readonly to: string | undefined;
}

/** Package name → folder, as `@rostra/host` → `packages/host`. */
export type Workspaces = ReadonlyMap<string, string>;

/** Every import, export-from, `import()` and import type; type-only ones too, because they couple just as well. */
export function importsOf(file: SourceFile, workspaces: Workspaces): Import[] {
  const found: Import[] = [];
  walk(file.tree, (node) => {
    const specifier = specifierOf(node);
    if (specifier === undefined) return;
    found.push({ from: file, line: lineOf(file, node), specifier, to: resolve(file.path, specifier, workspaces) });
  });
  return found;
}

function specifierOf(node: ts.Node): string | undefined {
  if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier !== undefined) {
    return ts.isStringLiteral(node.moduleSpecifier) ? node.moduleSpecifier.text : undefined;
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [argument] = node.arguments;
    return argument !== undefined && ts.isStringLiteralLike(argument) ? argument.text : undefined;
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal)) {
    return node.argument.literal.text;
  }
  // `new URL('./worker.ts', import.meta.url)` names a file just as an import does.
  if (ts.isNewExpression(node) && node.expression.getText() === 'URL') {
    const [target, base] = node.arguments ?? [];
    if (target !== undefined && ts.isStringLiteral(target) && base?.getText() === 'import.meta.url') {
      return /^\.{1,2}\/.*\.ts$/.test(target.text) ? target.text : undefined;
    }
  }
  return undefined;
}

function resolve(from: string, specifier: string, workspaces: Workspaces): string | undefined {
  if (specifier.startsWith('.')) return path.posix.normalize(path.posix.join(path.posix.dirname(from), specifier));
  const folder = workspaces.get(packageName(specifier));
  if (folder === undefined) return undefined;
  const rest = specifier.slice(packageName(specifier).length + 1);
  return `${folder}/src/${rest === '' ? 'index' : rest}.ts`;
}

export function packageName(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : (parts[0] ?? specifier);
}

/** Relative imports that leave their package would go around the exports map, and around this table. */
export function escapes(imports: readonly Import[]): Finding[] {
  return (
    imports
      .filter(({ from, specifier, to }) => specifier.startsWith('.') && packageOf(from.path) !== packageOf(to ?? ''))
      .filter(({ from }) => packageOf(from.path) !== undefined)
      // The fakes of providers serve the tests of every package.
      .filter(({ from, to }) => !(isTest(from) && to?.startsWith('test/fakes/')))
      .map(({ from, line, specifier }) => ({
        file: from.path,
        line,
        problem: `'${specifier}' leaves its package`,
        remedy: 'import the other package by its name',
      }))
  );
}

/** Strongly connected files, by Tarjan's algorithm; each cycle is reported once, as the list of its files. */
export function cycles(imports: readonly Import[]): string[][] {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    if (to !== undefined) edges.set(from.path, (edges.get(from.path) ?? new Set()).add(to));
  }
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];

  function visit(file: string): void {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file)!, low.get(next)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const component = stack.splice(stack.indexOf(file));
    if (component.length > 1 || edges.get(file)?.has(file)) found.push(component.sort());
  }

  for (const file of edges.keys()) if (!index.has(file)) visit(file);
  return found;
}

/** Files that no entry leads to. */
export function unreachable(
  files: readonly SourceFile[],
  imports: readonly Import[],
  entries: readonly string[],
): string[] {
  const edges = new Map<string, string[]>();
  for (const { from, to } of imports) if (to !== undefined) edges.set(from.path, [...(edges.get(from.path) ?? []), to]);
  const seen = new Set<string>(entries);
  const queue = [...entries];
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    for (const next of edges.get(file) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return files.map((file) => file.path).filter((file) => !seen.has(file));
}
