import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { offeredNames } from '../../../src/capabilities/tools/mcp/tool-name.ts';

test('a tool is offered under the name of its server, with nothing that a provider refuses', () => {
  expect([...offeredNames('files', ['read', 'read.all', 'lies/ür'])]).toEqual([
    ['read', 'files__read'],
    ['read.all', 'files__read_all'],
    ['lies/ür', 'files__lies__r'],
  ]);
});

test('names that are too long or would be the same end with a hash of their own, all of them', () => {
  const long = 'a'.repeat(100);
  const names = offeredNames('s', [long, `${long}b`, 'x.y', 'x_y', 'x y']);
  const given = [...names.values()];
  expect(new Set(given).size).toBe(5);
  for (const name of given) expect(name).toMatch(/^s__[A-Za-z0-9_-]{1,61}$/);
  expect(names.get('x.y')).toMatch(/^s__x_y_[0-9a-f]{8}$/);
  expect(names.get('x_y')).toMatch(/^s__x_y_[0-9a-f]{8}$/);
  expect(given.slice(0, 2).every(({ length }) => length === 64)).toBe(true);
});

test('a tool that is called as another one would end is not offered, and neither is the other', () => {
  const end = createHash('sha256').update('x.y').digest('hex').slice(0, 8);
  const names = offeredNames('s', ['x.y', 'x y', `x_y_${end}`, 'read']);
  expect(new Set(names.values()).size).toBe(names.size);
  expect([...names.keys()]).toEqual(['x y', 'read']);
});
