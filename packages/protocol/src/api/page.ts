import { z } from 'zod';
import { limits } from '../wire/limits.ts';

/** A cursor is opaque to runners; null where a list begins or ends. */
export const PageCursor = z.string().max(256).nullable().default(null);
export type PageCursor = z.infer<typeof PageCursor>;

/** Whoever asks for more than a page gets a page. */
export const PageLimit = z
  .number()
  .int()
  .min(1)
  .overwrite((count) => Math.min(count, limits.page_items))
  .default(limits.page_items_default);
export type PageLimit = z.infer<typeof PageLimit>;

/** How many of the best matches. */
export function topK(usual: number) {
  return z.number().int().min(1).max(limits.search_top_k).default(usual);
}

export const SearchText = z.string().min(1).max(limits.query_chars);
export type SearchText = z.infer<typeof SearchText>;

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), next_cursor: PageCursor, prev_cursor: PageCursor, has_more: z.boolean() });
}
