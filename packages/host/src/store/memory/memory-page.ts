import { pageLimit } from '../ports/page.ts';

/** One page of rows that are given oldest first, newest first, from before a known one. */
export function pageBack<T>(
  rows: readonly T[],
  isBefore: (row: T) => boolean,
  limit: number | undefined,
): { rows: T[]; has_more: boolean } {
  const most = pageLimit(limit);
  const end = rows.findIndex(isBefore);
  const older = (end === -1 ? [...rows] : rows.slice(0, end)).reverse();
  return { rows: older.slice(0, most), has_more: older.length > most };
}
