import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

export const root = path.resolve(import.meta.dirname, '../..');

/** A file of the repository; paths are relative to the root, with forward slashes. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

export interface SourceFile extends TextFile {
  readonly tree: ts.SourceFile;
}

/** What a rule found. Every finding names a place and says what to do about it. */
export interface Finding {
  readonly file: string;
  readonly line: number;
  readonly problem: string;
  readonly remedy: string;
}

const binary = /\.(png|jpg|gif|ico|woff2?|gz|zip)$/;

/** Tracked files and new ones that are not ignored: what a commit would hold. */
export function repositoryFiles(): TextFile[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root });
  return listed
    .toString('utf8')
    .split('\0')
    .filter((file) => file !== '' && !binary.test(file) && existsSync(path.join(root, file)))
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), 'utf8') }));
}

export function isTypeScript(file: TextFile): boolean {
  return /\.tsx?$/.test(file.path);
}

export function parse(file: TextFile): SourceFile {
  return { ...file, tree: ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2023, true) };
}

/** For the proofs that a rule can fail: a file that exists only in the test. */
export function snippet(file: string, text: string): SourceFile {
  return parse({ path: file, text });
}

export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** One finding per node that `match` names a problem for. */
export function findNodes(files: readonly SourceFile[], match: (node: ts.Node) => string | undefined, remedy: string) {
  const findings: Finding[] = [];
  for (const file of files) {
    walk(file.tree, (node) => {
      const problem = match(node);
      if (problem !== undefined) findings.push({ file: file.path, line: lineOf(file, node), problem, remedy });
    });
  }
  return findings;
}

/** One finding per line that `match` names a problem for. */
export function findLines(files: readonly TextFile[], match: (line: string) => string | undefined, remedy: string) {
  return files.flatMap((file) =>
    file.text.split('\n').flatMap((text, index): Finding[] => {
      const problem = match(text);
      return problem === undefined ? [] : [{ file: file.path, line: index + 1, problem, remedy }];
    }),
  );
}

export function lineOf(file: SourceFile, node: ts.Node): number {
  return file.tree.getLineAndCharacterOfPosition(node.getStart(file.tree)).line + 1;
}

/** `packages/host`, `packages/runners/demo`; undefined outside the packages. */
export function packageOf(file: string): string | undefined {
  return /^packages\/(?:runners\/[^/]+|(?!runners\/)[^/]+)(?=\/)/.exec(file)?.[0];
}

export function isSource(file: TextFile): boolean {
  return /^packages\/(?:runners\/)?[^/]+\/src\//.test(file.path);
}

export function isTest(file: TextFile): boolean {
  return file.path.startsWith('test/') || /^packages\/(?:runners\/)?[^/]+\/test\//.test(file.path);
}

export function isConfig(file: TextFile): boolean {
  return /^(?:examples\/[^/]+\/)?[^/]+\.config\.ts$/.test(file.path) || file.path === 'test/vitest-setup.ts';
}
