import { grantOnceMore, judge, minutesLeft, newBudget } from '@rostra/kernel/budget/budget';
import { newlyBegun, nothingSpent, type Spending } from '@rostra/kernel/budget/spending';
import { BudgetLimit } from '@rostra/protocol/session/budget';
import { describe, expect, it } from 'vitest';

const spent = (change: Partial<Spending>): Spending => ({ ...nothingSpent, ...change });
const limited = newBudget('run', { tokens: 1000, cost: 2, tool_calls: 5, minutes: 10, handovers: 2 });

describe('a budget', () => {
  it('says nothing below 80 %', () => {
    const used = { tokens: 799, cost: 1.59, tool_calls: 3, minutes: 7.9, handovers: 1 };
    expect(judge(limited, spent(used))).toMatchObject({ notices: [], exceeded: null });
  });

  it.each([
    ['tokens', 800, 1000],
    ['cost', 1.6, 2],
    ['tool_calls', 4, 5],
    ['minutes', 8, 10],
  ] as const)('gives one notice of %s at 80 %', (limit, used, of) => {
    const first = judge(limited, spent({ [limit]: used }));
    expect(first).toMatchObject({ notices: [{ limit, period: 'run', used, of }], exceeded: null });
    expect(judge(first.budget, spent({ [limit]: used + (of - used) / 2 }))).toMatchObject({
      notices: [],
      exceeded: null,
    });
  });

  it.each(BudgetLimit.options)('is exceeded when all %s are used, and then asks without a notice', (limit) => {
    const of = { tokens: 1000, cost: 2, tool_calls: 5, minutes: 10, handovers: 2 }[limit];
    const { notices, exceeded } = judge(limited, spent({ [limit]: of }));
    expect(notices).toEqual([]);
    expect(exceeded).toEqual({ limit, period: 'run', used: of, of });
  });

  it('never counts what is unknown as nothing, nor as too much', () => {
    expect(judge(limited, newlyBegun)).toMatchObject({ notices: [], exceeded: null });
    expect(judge(newBudget('run', { tokens: 1 }), newlyBegun).exceeded).toBeNull();
  });

  it('once more is the same amount again, from what was used by then, with a notice of its own', () => {
    const over = judge(limited, spent({ tokens: 1300 }));
    const more = grantOnceMore(over.budget, 'tokens', spent({ tokens: 1300 }));
    expect(judge(more, spent({ tokens: 2099 }))).toMatchObject({ notices: [], exceeded: null });
    expect(judge(more, spent({ tokens: 2100 })).notices).toEqual([
      { limit: 'tokens', period: 'run', used: 2100, of: 2300 },
    ]);
    expect(judge(more, spent({ tokens: 2300 })).exceeded).toMatchObject({ of: 2300 });
    expect(judge(more, spent({ tokens: 1300, tool_calls: 5 })).exceeded).toMatchObject({ limit: 'tool_calls' });
  });

  it('without limits has nothing to say', () => {
    const used = { tokens: 1e9, cost: 1e9, tool_calls: 1e9, minutes: 1e9, handovers: 1e9 };
    expect(judge(newBudget('day', {}), used)).toMatchObject({ notices: [], exceeded: null });
  });

  it('knows how many minutes make the next decision due', () => {
    expect(minutesLeft(limited, spent({ minutes: 3 }))).toBe(5);
    const noticed = judge(limited, spent({ minutes: 8 })).budget;
    expect(minutesLeft(noticed, spent({ minutes: 8 }))).toBe(2);
    expect(minutesLeft(noticed, spent({ minutes: 10 }))).toBeNull();
    expect(minutesLeft(newBudget('run', { tokens: 5 }), nothingSpent)).toBeNull();
  });
});
