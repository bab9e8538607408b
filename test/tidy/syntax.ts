import ts from 'typescript';
import { type Finding, findLines, findNodes, type SourceFile, type TextFile } from './repository.ts';

export function starExports(files: readonly SourceFile[]): Finding[] {
  return findNodes(
    files,
    (node) =>
      ts.isExportDeclaration(node) && (node.exportClause === undefined || ts.isNamespaceExport(node.exportClause))
        ? 'export *'
        : undefined,
    'export by name, where it is declared',
  );
}

export function defaultExports(files: readonly SourceFile[]): Finding[] {
  return findNodes(
    files,
    (node) => {
      if (ts.isExportAssignment(node)) return 'default export';
      const modifiers = ts.canHaveModifiers(node) ? ts.getModifiers(node) : undefined;
      return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword) ? 'default export' : undefined;
    },
    'export it by name',
  );
}

export function anyTypes(files: readonly SourceFile[]): Finding[] {
  return findNodes(
    files,
    (node) => (node.kind === ts.SyntaxKind.AnyKeyword ? 'any' : undefined),
    'use unknown and narrow it, or a schema of protocol',
  );
}

export function silencedErrors(files: readonly TextFile[]): Finding[] {
  // Split, so that this line is not itself a finding.
  const directive = new RegExp(`@ts-${'(ignore|nocheck|expect-error)'}`);
  return findLines(files, (line) => directive.exec(line)?.[0], 'make the types true');
}

function isConstAssertion(node: ts.AsExpression): boolean {
  return ts.isTypeReferenceNode(node.type) && node.type.getText() === 'const';
}

function isCast(node: ts.Node): node is ts.AsExpression | ts.TypeAssertion {
  return ts.isTypeAssertionExpression(node) || (ts.isAsExpression(node) && !isConstAssertion(node));
}

/** `x as unknown as T` switches the compiler off: nowhere. */
export function doubleCasts(files: readonly SourceFile[]): Finding[] {
  return findNodes(
    files,
    (node) => (isCast(node) && isCast(unwrapped(node.expression)) ? node.getText().slice(0, 60) : undefined),
    'parse it with a schema, or narrow it step by step',
  );
}

function unwrapped(node: ts.Expression): ts.Expression {
  return ts.isParenthesizedExpression(node) ? unwrapped(node.expression) : node;
}

export function casts(files: readonly SourceFile[], allowed: ReadonlySet<string>): Finding[] {
  return findNodes(
    files.filter(({ path }) => !allowed.has(path)),
    (node) => (isCast(node) ? `cast: ${node.getText().replace(/\s+/g, ' ').slice(0, 60)}` : undefined),
    'narrow or parse it (the list in tidy.test.ts is for decoded rows and foreign SDKs)',
  );
}
