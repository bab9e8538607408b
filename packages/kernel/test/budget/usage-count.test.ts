import { addSpending, emptyTotal, newlyBegun, withUsage } from '@rostra/kernel/budget/spending';
import { costOf, tokenCount } from '@rostra/kernel/budget/usage-count';
import { describe, expect, it } from 'vitest';

const prices = { large: { input: 3, output: 15, cached: 0.3 }, '*': { input: 1, output: 2 } };

describe('what a runner reports as usage', () => {
  it('is counted by the names in use', () => {
    expect(tokenCount({ input_tokens: 100, output_tokens: 20 }).total).toBe(120);
    expect(tokenCount({ prompt_tokens: 100, completion_tokens: 20 }).total).toBe(120);
    expect(tokenCount({ prompt_tokens: 100, completion_tokens: 20, total_tokens: 130 }).total).toBe(130);
  });

  it('counts cached tokens once, whether they are part of the input or stand beside it', () => {
    expect(tokenCount({ input_tokens: 100, cached_tokens: 60, output_tokens: 20 })).toMatchObject({
      fresh: 40,
      cached: 60,
      total: 120,
    });
    const beside = { input_tokens: 40, cache_read_input_tokens: 60, cache_creation_input_tokens: 5, output_tokens: 20 };
    expect(tokenCount(beside)).toMatchObject({ fresh: 45, cached: 60, total: 125 });
  });

  it.each([
    {},
    { input_tokens: 5 },
    { output_tokens: 5 },
    { input_tokens: -1, output_tokens: 1 },
    { total_tokens: '9' },
  ])('is unknown, not zero, where %j leaves it open', (usage) => {
    expect(tokenCount(usage).total).toBeNull();
    expect(costOf(tokenCount(usage), prices)).toBeNull();
  });

  it('costs what its model costs, or what every other one does', () => {
    const usage = { input_tokens: 1_000_000, cached_tokens: 400_000, output_tokens: 100_000 };
    expect(costOf(tokenCount({ ...usage, model: 'large' }), prices)).toBeCloseTo(0.6 * 3 + 0.4 * 0.3 + 0.1 * 15, 10);
    expect(costOf(tokenCount({ ...usage, model: 'small' }), prices)).toBeCloseTo(1 + 0.2, 10);
    expect(costOf(tokenCount(usage), prices)).toBeCloseTo(1.2, 10);
  });

  it('has an unknown cost without a price, and a total without its parts has none', () => {
    const usage = { input_tokens: 10, output_tokens: 10, model: 'large' };
    expect(costOf(tokenCount(usage), {})).toBeNull();
    expect(costOf(tokenCount({ ...usage, model: 'constructor' }), { large: prices.large })).toBeNull();
    expect(costOf(tokenCount({ total_tokens: 20, model: 'large' }), prices)).toBeNull();
  });
});

describe('what several runs used', () => {
  it('adds up as far as it is known and counts the runs of which it is not', () => {
    const known = withUsage(newlyBegun, { input_tokens: 10, output_tokens: 5, model: 'large' }, {});
    const total = addSpending(addSpending(emptyTotal, known), { ...newlyBegun, tool_calls: 2 });
    expect(total.known).toMatchObject({ tokens: 15, cost: 0, tool_calls: 2 });
    expect(total.unknown).toMatchObject({ tokens: 1, cost: 2, tool_calls: 0 });
  });
});
