import type { Finding, TextFile } from './repository.ts';

const LINES_MAX = 400;
const banned = new Set([
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'shared',
  'misc',
  'types',
  'constants',
  'impl',
]);
const measured = /\.(tsx?|mjs|cjs|js|sql)$/;

export function longFiles(files: readonly TextFile[]): Finding[] {
  return files
    .filter(({ path }) => measured.test(path))
    .map((file) => ({ file, lines: file.text.trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > LINES_MAX)
    .map(({ file, lines }) => ({
      file: file.path,
      line: LINES_MAX + 1,
      problem: `${lines} lines, at most ${LINES_MAX}`,
      remedy: 'split it by noun: one idea per file',
    }));
}

/** A name that says nothing collects everything. */
export function emptyNames(files: readonly TextFile[]): Finding[] {
  return files.flatMap(({ path }) => {
    const parts = path.split('/').map((part) => part.replace(/(\.test)?\.\w+$/, ''));
    const name = parts.find((part) => banned.has(part));
    if (name === undefined) return [];
    return [{ file: path, line: 1, problem: `"${name}" says nothing`, remedy: 'name it by the noun it serves' }];
  });
}

export function strayIndexes(files: readonly TextFile[], published: readonly string[]): Finding[] {
  return files
    .filter(({ path }) => /(^|\/)index\.[cm]?[jt]s$/.test(path) && !published.includes(path))
    .map(({ path }) => ({
      file: path,
      line: 1,
      problem: 'index file that is not the entry of a published package',
      remedy: 'import the file that declares what you need',
    }));
}
