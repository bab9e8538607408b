import path from 'node:path';
import { type Finding, findLines, type TextFile } from './repository.ts';

function isMarkdown({ path: file }: TextFile): boolean {
  return file.endsWith('.md');
}

/** The lines of a Markdown file, those inside code fences blanked. */
function prose(text: string): string[] {
  let fenced = false;
  return text.split('\n').map((line) => {
    const fence = /^\s*(```|~~~)/.test(line);
    if (fence) fenced = !fenced;
    return fence || fenced ? '' : line;
  });
}

export function titles(files: readonly TextFile[]): Finding[] {
  return files.filter(isMarkdown).flatMap((file) => {
    const headings = prose(file.text).flatMap((line, index) => (/^# /.test(line) ? [index + 1] : []));
    if (headings.length === 1) return [];
    const problem = `${headings.length} titles of the first level`;
    return [{ file: file.path, line: headings[1] ?? 1, problem, remedy: 'one "# " per file' }];
  });
}

/** What GitHub makes of a heading. */
function anchor(heading: string): string {
  const plain = heading.replace(/[`*]|\[([^\]]*)\]\([^)]*\)/g, '$1');
  return plain
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsOf(text: string): Set<string> {
  const headings = prose(text).flatMap((line) => /^#{1,6} (.*)$/.exec(line)?.[1] ?? []);
  const explicit = [...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map((match) => match[1] ?? '');
  return new Set([...headings.map(anchor), ...explicit]);
}

function brokenLink(file: TextFile, target: string, all: ReadonlyMap<string, TextFile>): string | undefined {
  if (/^[a-z][a-z+.-]*:/i.test(target)) return undefined;
  const [name = '', fragment] = target.split('#');
  const linked = name === '' ? file.path : path.posix.normalize(path.posix.join(path.posix.dirname(file.path), name));
  const found = all.get(linked.replace(/\/$/, ''));
  const isFolder = [...all.keys()].some((other) => other.startsWith(`${linked.replace(/\/$/, '')}/`));
  if (found === undefined) return isFolder ? undefined : `link to ${target}, which does not exist`;
  if (fragment === undefined || !isMarkdown(found) || anchorsOf(found.text).has(fragment)) return undefined;
  return `link to ${target}: no such heading`;
}

export function brokenLinks(files: readonly TextFile[]): Finding[] {
  const all = new Map(files.map((file) => [file.path, file]));
  return files.filter(isMarkdown).flatMap((file) =>
    prose(file.text).flatMap((line, index) => {
      const targets = [...line.replace(/`[^`]*`/g, '').matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)];
      return targets.flatMap((match): Finding[] => {
        const problem = brokenLink(file, match[1] ?? '', all);
        return problem === undefined ? [] : [{ file: file.path, line: index + 1, problem, remedy: 'correct the link' }];
      });
    }),
  );
}

/** A file of ours that is cited by name must be here: what a reader cannot open proves nothing. */
export function absentDocuments(files: readonly TextFile[]): Finding[] {
  const known = new Set(files.filter(isMarkdown).flatMap(({ path: file }) => [file, path.posix.basename(file)]));
  // Names that stand for a pattern (NNN-title.md) or belong to others' conventions.
  const foreign = /^(NNN-|AGENTS\.md|CLAUDE\.md|SKILL\.md|[A-Z]+_CONTEXT\.md)/;
  return findLines(
    files.filter(
      ({ path: file }) =>
        /\.(md|ts|mjs|cjs|sql)$/.test(file) && !file.includes('.test.ts') && !file.startsWith('test/tidy'),
    ),
    (line) => {
      const cited = [...line.matchAll(/(?<![\w/.-])((?:[\w-]+\/)*[\w-]+\.md)\b/g)].map((match) => match[1] ?? '');
      const absent = cited.find(
        (name) => !foreign.test(name) && !known.has(name) && !known.has(path.posix.basename(name)),
      );
      return absent === undefined ? undefined : `cites ${absent}, which is not in this repository`;
    },
    'cite a clause id of docs/spec, or a file of this repository',
  );
}

const machine = /(?<![\w.~:-])\/(?:home|root|Users|work|workspace|mnt)\/[\w.]|\b[A-Z]:\\Users\\/;
const outside = /\bseeds?\s+0\d\d\b|\b(?:issue|ticket)s?\s+#?\d+\b|\bTODO\s*\(|\bFIXME\b/i;

export function machinePaths(files: readonly TextFile[]): Finding[] {
  return findLines(
    files.filter(({ path: file }) => !file.startsWith('test/tidy') && file !== 'package-lock.json'),
    (line) => machine.exec(line)?.[0] ?? outside.exec(line)?.[0],
    'say it without the place where it was written; requirements are cited by their id',
  );
}

export function changelog(files: readonly TextFile[]): Finding[] {
  const file = files.find(({ path: name }) => name === 'CHANGELOG.md');
  if (file !== undefined && /^## \[Unreleased\]$/m.test(file.text)) return [];
  const problem = 'no section "## [Unreleased]"';
  return [
    { file: 'CHANGELOG.md', line: 1, problem, remedy: 'add it: every change that a user notices is noted there' },
  ];
}
