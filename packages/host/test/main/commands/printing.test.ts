import { afterEach, expect, test, vi } from 'vitest';
import { colorsFor } from '../../../src/main/commands/printing.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each([
  ['xterm', '', '\u001b[31mx\u001b[39m'],
  ['xterm', '1', 'x'],
  ['dumb', '', 'x'],
])('a terminal %j, with NO_COLOR %j, is given %j', (term, noColor, given) => {
  vi.stubEnv('TERM', term);
  vi.stubEnv('NO_COLOR', noColor);
  expect(colorsFor(true).red('x')).toBe(given);
  expect(colorsFor(false).red('x')).toBe('x');
});
