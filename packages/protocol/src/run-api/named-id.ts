import type { z } from 'zod';

const DOTS = /^\.\.?$/;

/** What somebody calls a thing that has an address of its own: these two are taken out of every address on its way. */
export function namedId<T extends z.ZodString>(id: T): T {
  return id.refine((text) => !DOTS.test(text), 'cannot be . or .., which no address can end with');
}
