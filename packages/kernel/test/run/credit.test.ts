import { charge, fullCredit, overrun, settle } from '@rostra/kernel/run/credit';
import { limits } from '@rostra/protocol/wire/limits';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const half = limits.credit_results / 2;

describe('giving back', () => {
  test('a short run gets no credit line', () => {
    const taken = charge(fullCredit, { results: 50, bytes: 4000 }, 49);
    expect(settle(taken, 49).give).toBeNull();
  });

  test.each([
    [half - 1, null],
    [half, { results: half, bytes: 10 }],
  ])('%i committed results', (results, give) => {
    expect(settle(charge(fullCredit, { results, bytes: 10 }, 5), 5).give).toEqual(give);
  });

  test('half of the bytes is enough, however few the results', () => {
    const large = charge(fullCredit, { results: 1, bytes: limits.credit_bytes / 2 }, 0);
    expect(settle(large, 0).give).toEqual({ results: 1, bytes: limits.credit_bytes / 2 });
  });

  test('what is not committed is not given back', () => {
    const taken = charge(fullCredit, { results: limits.credit_results, bytes: 10 }, 300);
    expect(settle(taken, 299).give).toBeNull();
    expect(settle(taken, 300).give).toEqual({ results: limits.credit_results, bytes: 10 });
  });

  test('results that were dropped after the last commit are free at once', () => {
    const { credit } = settle(charge(fullCredit, { results: 1, bytes: 1 }, 0), 0);
    const repeats = charge(credit, { results: limits.credit_results, bytes: 1 }, 0);
    expect(settle(repeats, -1).give?.results).toBe(limits.credit_results + 1);
  });

  test('every result comes back exactly once, and a runner at its limit always gets some', () => {
    const line = fc.record({ results: fc.integer({ min: 1, max: 64 }), bytes: fc.integer({ min: 1, max: 40_000 }) });
    const act = fc.oneof(line, fc.integer({ min: 0, max: 50 }));
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        let credit = fullCredit;
        let published = -1;
        let committed = -1;
        const sum = { results: 0, bytes: 0 };
        const back = { results: 0, bytes: 0 };
        const settled = (upTo: number) => {
          const { credit: next, give } = settle(credit, upTo);
          credit = next;
          back.results += give?.results ?? 0;
          back.bytes += give?.bytes ?? 0;
        };
        for (const step of [...acts, Number.MAX_SAFE_INTEGER]) {
          if (typeof step === 'number') {
            committed = Math.min(published, committed + step);
            settled(committed);
          } else {
            published += step.results;
            sum.results += step.results;
            sum.bytes += step.bytes;
            credit = charge(credit, step, published);
          }
          expect(credit.marks.length).toBeLessThan(200);
        }
        expect(credit.outstanding).toEqual({ results: 0, bytes: 0 });
        expect(sum.results - back.results).toBe(credit.owed.results);
        expect(sum.bytes - back.bytes).toBe(credit.owed.bytes);
        expect(credit.owed.results).toBeLessThan(half);
        expect(credit.owed.bytes).toBeLessThan(limits.credit_bytes / 2);
      }),
    );
  });
});

describe('overrun', () => {
  const most = limits.overrun_factor * limits.credit_results;
  test.each([
    [most, false],
    [most + 1, true],
  ])('%i results outstanding: %s', (results, over) => {
    expect(overrun(charge(fullCredit, { results, bytes: 1 }, 5))).toBe(over);
  });

  test('one result of the greatest size within the window is none', () => {
    const window = charge(fullCredit, { results: 255, bytes: limits.credit_bytes - 1 }, 5);
    expect(overrun(charge(window, { results: 1, bytes: limits.result_bytes }, 6))).toBe(false);
  });

  test('bytes far beyond the window are one', () => {
    const bytes = limits.overrun_factor * limits.credit_bytes + limits.result_bytes;
    expect(overrun(charge(fullCredit, { results: 1, bytes }, 5))).toBe(false);
    expect(overrun(charge(fullCredit, { results: 1, bytes: bytes + 1 }, 5))).toBe(true);
  });
});
