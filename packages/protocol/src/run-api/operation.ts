import { z } from 'zod';
import type { KeyScope } from '../config/entry-config.ts';

/** How one operation of the HTTP API is called and what it answers: routes, client and reference are made from it. */
export interface Operation {
  /** A verb and its object, `getRun`: the name of the operation in the reference. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its parameters in braces, `/api/v1/sessions/{sessionId}`. */
  readonly path: `/api/v1/${string}`;
  /** What a key needs; `any`: some key, whatever for; null: no key at all. */
  readonly scope: KeyScope | 'any' | null;
  /** The chapter of the reference. */
  readonly tag: string;
  /** One sentence without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** Values arrive as text: numbers are written `z.coerce.number()` and the like. */
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  /** A JSON body; `bytes` is its limit, that of runs unless told. */
  readonly body?: z.ZodType;
  readonly bytes?: number;
  /** The media type of a body that is no JSON. */
  readonly takes?: string;
  /** Answers by status; null has no body. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  /** What the data of each event is, where the answer with status 200 is a stream of events, or may be. */
  readonly events?: z.ZodType;
  /** The media type of an answer that is neither JSON nor a stream of events. */
  readonly gives?: string;
  /** Statuses of refusals beside those that any operation has (400, 401, 403, 406, 429, 500, 503). */
  readonly refusals: readonly number[];
}

export function operation<const O extends Operation>(described: O): O {
  return described;
}

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
/** The parameters in a path, decoded. */
export type ParamsOf<O extends Operation> = { readonly [N in Names<O['path']>]: string };
export type QueryOf<O extends Operation> = O extends { query: infer Q extends z.ZodObject } ? z.output<Q> : unknown;
/** As a caller writes it, before defaults are filled in. */
export type AskedQueryOf<O extends Operation> = O extends { query: infer Q extends z.ZodObject } ? z.input<Q> : unknown;
export type BodyOf<O extends Operation> = O extends { body: infer B extends z.ZodType } ? z.output<B> : unknown;
export type SentBodyOf<O extends Operation> = O extends { body: infer B extends z.ZodType } ? z.input<B> : unknown;
type Bodies<A> = A[keyof A];
/** The body of any of its answers. */
export type AnswerOf<O extends Operation> =
  Bodies<O['answers']> extends infer S ? (S extends z.ZodType ? z.output<S> : null) : never;

/** A page of anything; `nextCursor` goes back as `cursor`, and is null on the last page. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** The parameters of any page. */
export const PageQuery = z.object({
  cursor: z.string().max(512).optional().describe('`nextCursor` of the page before.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .optional()
    .describe('At most this many; more than 100 count as 100.'),
});
export type PageQuery = z.infer<typeof PageQuery>;
