import { z } from 'zod';

/** One proxied host call: what it takes, what it answers, and what comes before the answer when it streams. */
export interface ApiMethod {
  readonly params: z.ZodType;
  readonly result: z.ZodType;
  readonly stream?: z.ZodType;
}

/** Every call names the run that makes it (RP-7.1). */
const caller = { run_id: z.string().min(1).max(256) };

export function method<P extends z.ZodRawShape, R extends z.ZodType>(params: P, result: R) {
  return { params: z.object({ ...caller, ...params }), result };
}

/** A call whose answer comes in pieces; the result closes it. */
export function streamed<P extends z.ZodRawShape, C extends z.ZodType, R extends z.ZodType>(
  params: P,
  stream: C,
  result: R,
) {
  return { params: z.object({ ...caller, ...params }), stream, result };
}
