import { z } from 'zod';
import { type OwnTool, ownTool } from './own-tool.ts';

const parameters = z.strictObject({
  timezone: z
    .string()
    .max(64)
    .refine(isTimezone, 'is no name of a time zone, such as Europe/Oslo')
    .default('UTC')
    .describe('IANA name of a time zone, such as Europe/Oslo; UTC unless told.'),
});

/** Tells the host's clock. */
export function timeTool(clock: { now(): number }): OwnTool {
  return ownTool({
    name: 'time',
    description: 'Tells the current date and time in a time zone.',
    parameters,
    async run({ timezone }) {
      const at = new Date(clock.now());
      return {
        content: { timezone, local: localTime(at, timezone), weekday: weekday(at, timezone), utc: at.toISOString() },
        is_error: false,
        files: [],
      };
    },
  });
}

function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** `2026-11-16T09:30:00+01:00` */
function localTime(at: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const { type, value } of format.formatToParts(at)) parts[type] = value;
  const { year, month, day, hour, minute, second, timeZoneName = '' } = parts;
  const offset = timeZoneName.slice('GMT'.length) || '+00:00';
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
}

function weekday(at: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'long' }).format(at);
}
