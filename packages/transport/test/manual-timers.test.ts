import { expect, test } from 'vitest';
import { ManualTimers } from '../src/manual-timers.ts';

test('timers wake in the order of their time, also those set on the way', () => {
  const timers = new ManualTimers();
  const woken: string[] = [];
  timers.after(20, () => void woken.push('20'));
  timers.after(10, () => {
    woken.push('10');
    timers.after(5, () => void woken.push('15'));
  });
  const stop = timers.after(12, () => void woken.push('never'));
  stop();
  timers.advance(19);
  expect(woken).toEqual(['10', '15']);
  timers.advance(1);
  expect(woken).toEqual(['10', '15', '20']);
  expect(timers.waiting).toBe(0);
});
