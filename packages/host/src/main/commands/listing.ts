import { endProgress, progress } from './printing.ts';
import { UsageError } from './usage-error.ts';

const DEFAULT = 20;

export const limitOption = {
  limit: { type: 'string', valueHint: 'N', description: `at most so many (${DEFAULT}); 0 is all` },
} as const;

/** The first of them, as many as were asked for. */
export async function first<T>(items: AsyncIterable<T>, limit: string | undefined): Promise<T[]> {
  if (limit !== undefined && !/^\d{1,9}$/.test(limit)) {
    throw new UsageError(`--limit is a number, not ${JSON.stringify(limit)}.`);
  }
  const asked = limit === undefined ? DEFAULT : Number(limit);
  return await collected(items, asked === 0 ? Number.POSITIVE_INFINITY : asked);
}

export async function collected<T>(items: AsyncIterable<T>, most = Number.POSITIVE_INFINITY): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length % 100 === 0) progress(`${found.length} so far`);
    if (found.length >= most) break;
  }
  if (found.length >= 100) endProgress();
  return found;
}
