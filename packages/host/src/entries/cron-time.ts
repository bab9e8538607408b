import { Cron } from 'croner';
import type { NextTime } from './scheduler.ts';

/** Croner only reads expressions here: it gets no function, so that it sets no timer. */
function read(cron: string, timezone: string): Cron {
  return new Cron(cron, { timezone, mode: '5-or-6-parts', paused: true });
}

export const nextCronTime: NextTime = ({ cron, timezone }, after) =>
  read(cron, timezone).nextRun(new Date(after))?.getTime() ?? null;

export function isTimezone(timezone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: timezone });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Five fields, or six with seconds before them, that come true at all: a date that never comes is a mistake. */
export function isCron(cron: string, from: number): boolean {
  if (![5, 6].includes(cron.trim().split(/\s+/).length)) return false;
  try {
    return nextCronTime({ cron, timezone: 'UTC' }, from) !== null;
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return false;
    throw error;
  }
}
