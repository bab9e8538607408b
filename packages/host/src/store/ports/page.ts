import { limits } from '@rostra/protocol/wire/limits';
import { StoreError } from '../refusal.ts';

/** A page that ends before a known row; without one, the newest. */
export interface PageRequest<Key> {
  before?: Key;
  limit?: number;
}

/** How many rows a page may hold; below 1 is refused, above the bound is cut. */
export function pageLimit(limit: number = limits.page_items_default, most: number = limits.page_items): number {
  if (!Number.isInteger(limit) || limit < 1) {
    throw new StoreError({
      code: 'invalid_argument',
      reason: 'BAD_PAGE',
      message: `A page of ${limit} rows cannot be read.`,
      retryable: false,
      hint: `Ask for 1 to ${most} rows.`,
    });
  }
  return Math.min(limit, most);
}
