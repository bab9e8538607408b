import { limits } from '@rostra/protocol/wire/limits';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ClockWatch } from '../../src/main/clock-watch.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

function stage() {
  const told: unknown[] = [];
  const clock = {
    behind: 0,
    catchUp() {
      clock.behind = 0;
    },
  };
  const work = { turns: 0 };
  const log = { info: (event: string, fields: object = {}) => void told.push([event, fields]) };
  const watch = new ClockWatch({ clock, workingTurns: () => work.turns, log });
  return { clock, work, told, watch, look: () => vi.advanceTimersByTime(limits.clock_look) };
}

it('after a sleep the clock catches up as soon as no turn is under way, and the log says so', () => {
  const { clock, work, told, look } = stage();
  work.turns = 1;
  clock.behind = 3_600_000.4;
  look();
  expect([clock.behind, told]).toEqual([3_600_000.4, []]);
  work.turns = 0;
  look();
  expect([clock.behind, told]).toEqual([0, [['clock.caught_up', { ms: 3_600_000 }]]]);
  look();
  expect(told).toHaveLength(1);
});

it('a clock that is nearly right, or ahead, is left alone', () => {
  const { clock, told, look } = stage();
  for (const behind of [limits.clock_behind - 1, -3_600_000]) {
    clock.behind = behind;
    look();
    expect([clock.behind, told]).toEqual([behind, []]);
  }
});

it('nothing is looked at once it is closed', () => {
  const { clock, told, watch, look } = stage();
  watch.close();
  clock.behind = 3_600_000;
  look();
  expect(told).toEqual([]);
});
