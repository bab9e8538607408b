import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { faultKinds } from './simulation/world/fault-kind.ts';
import { root } from './tidy/repository.ts';

/** What a host on one machine can meet. */
const numbers = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16],
  ...[17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 33, 34, 35],
  ...[53, 55, 56, 57, 62, 72, 73, 74, 75, 76, 77, 78, 79, 80],
];

const rows = readFileSync(path.join(root, 'docs/faults.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| \d/.test(line))
  .map((line) => {
    const [, number = '', what = '', test = ''] = line.split('|').map((cell) => cell.trim());
    return { number: Number(number), what, test };
  });

it('every fault that a host on one machine can meet has a row, in order', () => {
  expect([...new Set(rows.map(({ number }) => number))]).toEqual(numbers);
});

it.each(rows)('$number, $what: its test is where docs/faults.md says', ({ number, test }) => {
  const kind = /^sim `([\w.]+)`$/.exec(test)?.[1];
  if (kind !== undefined) {
    expect(Object.entries(faultKinds)).toContainEqual([kind, number]);
    return;
  }
  const [, file = '', title = ''] = /^`([\w./-]+)` (.+)$/.exec(test) ?? [];
  const text = readFileSync(path.join(root, file), 'utf8');
  expect(text.split(`'${title}'`)).toHaveLength(2);
});
