import { z } from 'zod';

/** Any JSON value. The host stores and forwards it; a key that the host reads becomes a field of its own. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export const Json: z.ZodType<Json> = z.json();

export const JsonObject = z.record(z.string(), Json);
export type JsonObject = z.infer<typeof JsonObject>;
