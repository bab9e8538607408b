import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { operations } from '../packages/protocol/src/run-api/operations.ts';
import { ApiErrorCode } from '../packages/protocol/src/wire/api-error.ts';
import * as reasons from '../packages/protocol/src/wire/reason.ts';
import { apiDocs } from '../scripts/api-docs.ts';
import { root } from './tidy/repository.ts';

const read = (name: string) => readFileSync(path.join(root, 'docs', name), 'utf8');

describe('documents of the API', () => {
  it.each(apiDocs().map(({ file, ...each }) => [path.basename(file), each] as const))(
    '%s is what the protocol says; `npm run docs` writes it anew',
    (_, { is, should }) => expect(is).toBe(should),
  );

  it('errors.md explains every code and every reason: meaning, cause and remedy', () => {
    const rows = new Map(
      read('errors.md')
        .split('\n')
        .filter((line) => line.startsWith('| `'))
        .map((line) => [/`([^`]+)`/.exec(line)?.[1] ?? '', line.split('|').map((cell) => cell.trim())]),
    );
    const words = [ApiErrorCode, ...Object.values(reasons)].flatMap(({ options }): string[] => options);
    expect(words.length).toBeGreaterThan(80);
    expect(words.filter((word) => !rows.has(word))).toEqual([]);
    const isWhole = (cells: readonly string[]) =>
      cells.slice(2, -1).every((cell) => cell.length > 5 || /\d{3}/.test(cell));
    expect([...rows].filter(([, cells]) => !isWhole(cells))).toEqual([]);
  });

  it('http-api.md names every operation', () => {
    const text = read('http-api.md');
    const missing = Object.values(operations).filter(({ method, path: at }) => !text.includes(`\`${method} ${at}\``));
    expect(missing).toEqual([]);
  });
});
