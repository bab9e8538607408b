import { endRun, newRun, sendRun } from '@rostra/kernel/run/run';
import { takeResult } from '@rostra/kernel/run/take-result';
import { RunResultData } from '@rostra/protocol/runner/run-result';
import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDelta } from '../../src/run/delta.ts';
import { withinDepth } from '../../src/run/json-depth.ts';
import { identity } from './identity.ts';

const run = sendRun(newRun(identity, 1000));
const delta = (content: string) => ({ chunk: { role: 'assistant', content } });

describe('the verdict on one result', () => {
  test('a first result makes the run a running one', () => {
    const taken = takeResult(run, [0, 'message.delta', delta('a')], 10);
    expect(taken).toMatchObject({ verdict: 'forward', gap: false, type: 'message.delta', data: delta('a') });
    expect(taken.run).toMatchObject({ phase: 'running', last_runner_sequence: 0, dropped: 0 });
  });

  test.each([
    ['not a tuple', { sequence: 0 }, 'malformed'],
    ['a sequence that is no integer', [0.5, 'message.delta', delta('a')], 'malformed'],
    ['a type that is no string', [0, 7, {}], 'malformed'],
    ['an unknown type', [0, 'message.guess', {}], 'unknown_type'],
    ['a type with a name that every object has', [0, 'constructor', {}], 'unknown_type'],
  ])('%s is dropped and counted', (_name, tuple, verdict) => {
    const taken = takeResult(run, tuple, 10);
    expect(taken.verdict).toBe(verdict);
    expect(taken.run).toMatchObject({ dropped: 1, next_sequence: 0 });
  });

  test('a repeated or earlier sequence is a duplicate, a gap is only noted (RP-6.14)', () => {
    const five = takeResult(run, [5, 'message.delta', delta('a')], 10);
    expect(five).toMatchObject({ verdict: 'forward', gap: true });
    expect(takeResult(five.run, [5, 'message.delta', delta('a')], 10).verdict).toBe('duplicate');
    expect(takeResult(five.run, [4, 'message.delta', delta('a')], 10).verdict).toBe('duplicate');
    expect(takeResult(five.run, [6, 'message.delta', delta('b')], 10)).toMatchObject({
      verdict: 'forward',
      gap: false,
    });
  });

  test.each([0, 1])('a runner may count from %i', (first) => {
    expect(takeResult(run, [first, 'message.delta', delta('a')], 10).gap).toBe(false);
  });

  test('whatever comes after the end is discarded (RP-6.12)', () => {
    const ended = endRun(run, 'completed').run;
    expect(takeResult(ended, [0, 'run.failed', { code: 'x' }], 10).verdict).toBe('after_terminal');
  });

  test.each([
    [limits.result_bytes - 1, 'forward'],
    [limits.result_bytes, 'forward'],
    [limits.result_bytes + 1, 'too_large'],
  ])('a result of %i bytes: %s', (bytes, verdict) => {
    expect(takeResult(run, [0, 'message.delta', delta('a')], bytes).verdict).toBe(verdict);
  });
});

describe('the compiled checks', () => {
  test('isDelta says what the schema of message.delta says', () => {
    const text = fc.oneof(fc.string(), fc.constant(undefined), fc.constant(null), fc.integer());
    const chunk = fc.oneof(
      fc.record({ role: text, content: text, reasoning_content: text }, { requiredKeys: [] }),
      fc.constant([]),
      fc.constant(null),
      fc.string(),
    );
    const usage = fc.oneof(fc.constant({ input_tokens: 3 }), fc.constant(null), fc.constant([]), fc.integer());
    const data = fc.oneof(fc.record({ chunk, usage }, { requiredKeys: [] }), fc.constant(null), fc.string());
    fc.assert(
      fc.property(data, (value) => {
        expect(isDelta(value)).toBe(RunResultData['message.delta'].safeParse(value).success);
      }),
    );
  });

  test('withinDepth survives what no recursive reader does', () => {
    expect(withinDepth(JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`), 32)).toBe(false);
  });

  test.each([
    ['text', 0, true],
    [[], 0, false],
    [{ a: 1 }, 1, true],
    [{ a: [1] }, 1, false],
    [{ a: [1] }, 2, true],
  ])('withinDepth(%j, %i) is %s', (value, max, within) => {
    expect(withinDepth(value, max)).toBe(within);
  });
});
