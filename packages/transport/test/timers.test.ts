import { expect, test, vi } from 'vitest';
import { systemTimers } from '../src/timers.ts';

test.each([3_000_000_000, Number.POSITIVE_INFINITY])('a wait of %d ms is not over at once', async (ms) => {
  const wake = vi.fn();
  const callOff = systemTimers.after(ms, wake);
  await new Promise((resolve) => setTimeout(resolve, 20));
  callOff();
  expect(wake).not.toHaveBeenCalled();
});
