import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { coverageFile, parseSpec, readSpec, renderCoverage } from '../scripts/spec-coverage.ts';
import { collect, planned, tested } from './requirements/requirement.ts';
import { requirements } from './requirements.ts';

const clauses = readSpec();
const ids = clauses.map((clause) => clause.id);

function missingTest(file: string, name: string): string | undefined {
  const path = fileURLToPath(new URL(`../${file}`, import.meta.url));
  if (!existsSync(path)) return `${file} does not exist`;
  return readFileSync(path, 'utf8').includes(name) ? undefined : `${file} has no test "${name}"`;
}

describe('the specification and its tests', () => {
  test('every clause id is given once', () => {
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('every clause is in test/requirements and nothing else is', () => {
    expect(ids.filter((id) => !Object.hasOwn(requirements, id))).toEqual([]);
    expect(Object.keys(requirements).filter((id) => !ids.includes(id))).toEqual([]);
  });

  test('every named test exists', () => {
    const problems = Object.entries(requirements).map(([id, requirement]) => {
      const problem = requirement === 'planned' ? undefined : missingTest(requirement.file, requirement.name);
      return problem === undefined ? [] : [`${id}: ${problem}`];
    });
    expect(problems.flat()).toEqual([]);
  });

  test('no clause item escapes the parser', () => {
    const documents = [...new Set(clauses.map((clause) => clause.document))];
    const items = documents.flatMap((document) => {
      const markdown = readFileSync(fileURLToPath(new URL(`../docs/spec/${document}`, import.meta.url)), 'utf8');
      return markdown.match(/^\s*[-*] \*\*/gm) ?? [];
    });
    expect(items).toHaveLength(clauses.length);
  });

  test('docs/spec/coverage.md is current', () => {
    expect(readFileSync(coverageFile, 'utf8')).toBe(renderCoverage(clauses, requirements));
  });
});

describe('the tools', () => {
  test('parseSpec reads clauses and skips code blocks and other items', () => {
    const markdown =
      '# T\n\n- **SR-A.1** One. Two.\n- plain\n\n```\n- **SR-A.2** Not a clause.\n```\n- **SR-TO-ack** Three.\n';
    expect(parseSpec(markdown)).toEqual([
      { id: 'SR-A.1', text: 'One. Two.' },
      { id: 'SR-TO-ack', text: 'Three.' },
    ]);
  });

  test('an id listed twice is refused', () => {
    expect(() => collect(planned('SR-A.1'), tested({ 'SR-A.1': ['a.test.ts', 'a'] }))).toThrow(
      'SR-A.1 is listed twice',
    );
  });

  test('renderCoverage counts and names tests, and joins planned neighbours of one section', () => {
    const listed = ['SR-A.1', 'SR-A.2', 'SR-A.3', 'SR-B.1'].map((id) => ({ id, text: 'x', document: 'd.md' }));
    const mapping = collect(tested({ 'SR-A.1': ['a.test.ts', 'p | q'] }), planned('SR-A.2', 'SR-A.3', 'SR-B.1'));
    const rendered = renderCoverage(listed, mapping).split('\n');
    expect(rendered).toContain('| [d.md](d.md) | 4 | 1 | 3 |');
    expect(rendered).toContain('| SR-A.1 | `a.test.ts` › p \\| q |');
    expect(rendered).toContain('| SR-A.2, SR-A.3 | planned |');
    expect(rendered).toContain('| SR-B.1 | planned |');
  });
});
