import { expect, it } from 'vitest';
import { NewAgent } from '../../src/run-api/agent-api.ts';

it('a new agent may be called anything that an address can end with', () => {
  const isTaken = (id: string) => NewAgent.safeParse({ id, config: {} }).success;
  expect(['a b', 'team/a', '...', '.a', '__proto__'].map(isTaken)).toEqual([true, true, true, true, true]);
  expect(['', '.', '..'].map(isTaken)).toEqual([false, false, false]);
});
