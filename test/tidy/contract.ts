import ts from 'typescript';
import { type Finding, findNodes, isSource, lineOf, packageOf, type SourceFile, walk } from './repository.ts';

const PROTOCOL = 'packages/protocol';

/** Dotted or capital: a name that can only come from a contract. Plain words like `text` are everyone's. */
const wireShape = /^(?:[a-z][a-z_]*(?:\.[a-z_]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)$/;

function rootOf(node: ts.Expression): string {
  let current: ts.Expression = node;
  while (ts.isCallExpression(current) || ts.isPropertyAccessExpression(current)) current = current.expression;
  return current.getText();
}

function isSchema(declaration: ts.VariableDeclaration): boolean {
  return (
    declaration.initializer !== undefined &&
    ts.isCallExpression(declaration.initializer) &&
    rootOf(declaration.initializer) === 'z'
  );
}

interface Declared {
  readonly file: SourceFile;
  readonly name: string;
  /** A recursive schema is annotated with its type, which then stands for itself. */
  readonly annotation: string;
  readonly line: number;
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
}

export function exportedSchemas(files: readonly SourceFile[]): Declared[] {
  return files.flatMap((file) =>
    file.tree.statements
      .filter((statement) => ts.isVariableStatement(statement))
      .filter(isExported)
      .flatMap((statement) => statement.declarationList.declarations.filter(isSchema))
      .map((declaration) => ({
        file,
        name: declaration.name.getText(),
        annotation: declaration.type?.getText() ?? '',
        line: lineOf(file, declaration),
      })),
  );
}

/** `export const Task = z.object(…)` goes with `export type Task = z.infer<typeof Task>`, in the same file. */
export function schemasWithoutType(files: readonly SourceFile[]): Finding[] {
  return exportedSchemas(files)
    .filter(({ file, name, annotation }) => {
      const alias = file.tree.statements.find((node) => ts.isTypeAliasDeclaration(node) && node.name.text === name);
      const text = alias?.getText().replace(/\s+/g, ' ') ?? '';
      if (alias !== undefined && annotation === `z.ZodType<${name}>`) return false;
      return !new RegExp(`z\\.(infer|output|input)< ?typeof ${name} ?>`).test(text);
    })
    .map(({ file, name, line }) => ({
      file: file.path,
      line,
      problem: `schema ${name} has no type of its name`,
      remedy: `export type ${name} = z.infer<typeof ${name}>;`,
    }));
}

/** A schema or type of protocol that another file declares again would drift from it. */
export function contractsDeclaredTwice(files: readonly SourceFile[]): Finding[] {
  const first = new Map<string, Declared>();
  const findings: Finding[] = [];
  for (const schema of exportedSchemas(files)) {
    const earlier = first.get(schema.name);
    if (earlier === undefined) first.set(schema.name, schema);
    else findings.push(twice(schema.file.path, schema.line, schema.name, earlier.file.path));
  }
  for (const file of files) {
    for (const node of file.tree.statements) {
      if (!ts.isTypeAliasDeclaration(node) && !ts.isInterfaceDeclaration(node)) continue;
      const schema = first.get(node.name.text);
      if (schema === undefined || schema.file.path === file.path) continue;
      findings.push(twice(file.path, lineOf(file, node), node.name.text, schema.file.path));
    }
  }
  return findings;
}

function twice(file: string, line: number, name: string, elsewhere: string): Finding {
  return { file, line, problem: `${name} is declared in ${elsewhere} already`, remedy: 'import it, or name it apart' };
}

/** The names in the closed lists of protocol: what its literals, enums and keyed payload tables declare. */
export function wireNames(files: readonly SourceFile[]): Set<string> {
  const names = new Set<string>();
  for (const file of files.filter(({ path }) => packageOf(path) === PROTOCOL && isSource({ path, text: '' }))) {
    walk(file.tree, (node) => {
      if (ts.isCallExpression(node) && /^z\.(literal|enum)$/.test(node.expression.getText())) {
        for (const argument of node.arguments)
          walk(argument, (inner) => void (ts.isStringLiteral(inner) && names.add(inner.text)));
      }
      if (ts.isPropertyAssignment(node) && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name))) {
        names.add(node.name.text);
      }
    });
  }
  return new Set([...names].filter((name) => wireShape.test(name)));
}

/**
 * Outside protocol nobody declares a wire name anew: no schema, no union type, no untyped constant. Where one is used
 * as a value, the compiler compares it with the declared type.
 */
export function redeclaredWireNames(files: readonly SourceFile[], names: ReadonlySet<string>): Finding[] {
  const isWire = (node: ts.Node | undefined): node is ts.StringLiteral =>
    node !== undefined && ts.isStringLiteral(node) && names.has(node.text);
  return findNodes(
    files.filter((file) => isSource(file) && packageOf(file.path) !== PROTOCOL),
    (node) => {
      if (ts.isCallExpression(node) && /^z\.(literal|enum)$/.test(node.expression.getText())) {
        const text = node.arguments.map((argument) => argument.getText()).join();
        return [...names].some((name) => text.includes(`'${name}'`))
          ? `schema of a wire name: ${text.slice(0, 50)}`
          : undefined;
      }
      if (ts.isUnionTypeNode(node)) {
        const wire = node.types.filter((type) => ts.isLiteralTypeNode(type) && isWire(type.literal));
        return wire.length > 1 && wire.length === node.types.length && isDeclaration(node)
          ? `union of wire names: ${node.getText().slice(0, 50)}`
          : undefined;
      }
      if (ts.isVariableDeclaration(node) && node.type === undefined && isWire(node.initializer)) {
        return `constant for a wire name: ${node.getText()}`;
      }
      return undefined;
    },
    'take the type from protocol, or give the names to a type parameter that extends it, so that a typo is an error',
  );
}

/** A union that is a type's own definition; one that is a type argument is compared with its constraint. */
function isDeclaration(node: ts.UnionTypeNode): boolean {
  return ts.isTypeAliasDeclaration(node.parent) || ts.isPropertySignature(node.parent) || ts.isParameter(node.parent);
}
