import { z } from 'zod';
import type { RankedDocument } from './model.ts';
import { addressOf, type DoorOptions } from './provider-door.ts';

const Ranking = z.object({
  results: z.array(z.object({ index: z.number().int().nonnegative(), relevance_score: z.number() })),
});

/** A request that was refused, in the shape of those that the SDK makes. */
class RefusedRequest extends Error {
  readonly statusCode: number;
  readonly responseHeaders: Record<string, string>;
  readonly responseBody: string;

  constructor(response: Response, body: string) {
    super('The request was refused.');
    this.statusCode = response.status;
    this.responseHeaders = Object.fromEntries(response.headers);
    this.responseBody = body;
  }
}

/** Posts JSON as servers like OpenAI's take it. */
export async function postJson(
  path: string,
  body: unknown,
  { config, key, fetch }: DoorOptions,
  { signal, headers = {} }: { signal: AbortSignal; headers?: Record<string, string> },
): Promise<unknown> {
  const response = await fetch(`${addressOf(config)}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key.value !== null && { authorization: `Bearer ${key.value}` }),
      ...config.headers,
      ...headers,
    },
    body: JSON.stringify(body),
    signal,
  });
  const text = await response.text();
  if (!response.ok) throw new RefusedRequest(response, text);
  return JSON.parse(text);
}

/** The interface that Jina, Cohere and most servers of one's own share; the best first, each document once. */
export async function ranked(
  { query, documents, top_k }: { query: string; documents: readonly string[]; top_k: number },
  door: DoorOptions,
  signal: AbortSignal,
): Promise<RankedDocument[]> {
  const body = {
    model: door.config.model,
    query,
    documents,
    top_n: Math.min(top_k, documents.length),
    ...door.config.options,
  };
  const { results } = Ranking.parse(await postJson('/rerank', body, door, { signal }));
  const known = new Map(
    results.filter(({ index }) => index < documents.length).map((result) => [result.index, result]),
  );
  return [...known.values()].sort((one, other) => other.relevance_score - one.relevance_score).slice(0, top_k);
}
