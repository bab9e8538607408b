import { limits } from '@rostra/protocol/wire/limits';
import { expect, test } from 'vitest';
import { quoted, RunnerLog, type RunnerLogEntry } from '../../src/discovery/runner-log.ts';
import { ManualClock } from '../manual-clock.ts';

test.each([
  ['plain', '"plain"'],
  ['two\nlines\r', '"two\\nlines\\r"'],
  ['\u001b[31mred', '"\\u001b[31mred"'],
  ['c1 \u009b31m', '"c1 \\u009b31m"'],
  ['bidi \u202egnp.exe', '"bidi \\u202egnp.exe"'],
  ['x'.repeat(limits.log_line_chars + 1), `"${'x'.repeat(limits.log_line_chars)}…"`],
])('%j is one harmless line', (text, line) => {
  expect(quoted(text)).toBe(line);
});

test('a flood becomes some lines and a count of the rest', () => {
  const clock = new ManualClock();
  const written: RunnerLogEntry[] = [];
  const log = new RunnerLog('demo', clock, (entry) => void written.push(entry));
  for (let line = 0; line < limits.runner_log_lines + 7; line++) log.printed('stderr', `line ${line}`);
  expect(written).toHaveLength(limits.runner_log_lines);
  clock.advance(1000);
  expect(written.at(-1)).toEqual({ runner: 'demo', kind: 'warning', text: '7 more lines were left out' });
  log.warn('again');
  expect(written.at(-1)?.text).toBe('again');
  expect(written).toHaveLength(limits.runner_log_lines + 2);
});

test('the same warning is written once a second', () => {
  const clock = new ManualClock();
  const written: RunnerLogEntry[] = [];
  const log = new RunnerLog('demo', clock, (entry) => void written.push(entry));
  for (let time = 0; time < 10_000; time++) log.warn('unknown_type');
  log.warn('another');
  expect(written.map(({ text }) => text)).toEqual(['unknown_type', 'another']);
  clock.advance(1000);
  log.warn('unknown_type');
  expect(written.map(({ text }) => text).slice(2)).toEqual(['9999 more lines were left out', 'unknown_type']);
});

test('closing says what was left out', () => {
  const clock = new ManualClock();
  const written: RunnerLogEntry[] = [];
  const log = new RunnerLog('demo', clock, (entry) => void written.push(entry));
  for (let line = 0; line <= limits.runner_log_lines; line++) log.printed('stdout', 'x');
  log.close();
  expect(written.at(-1)?.text).toBe('1 more lines were left out');
  expect(clock.armed).toBe(0);
});
