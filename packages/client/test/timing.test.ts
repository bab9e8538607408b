import { expect, test, vi } from 'vitest';
import { systemTiming } from '../src/timing.ts';

test('a wait longer than any timer holds is not over at once', async () => {
  const early = vi.fn();
  const callOff = systemTiming.after(99_999_999_000, early);
  await new Promise((resolve) => setTimeout(resolve, 20));
  callOff();
  expect(early).not.toHaveBeenCalled();
});
