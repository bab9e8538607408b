import { isJsonObject, type Json, type JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { z } from 'zod';

/** What a failed request of the AI SDK has, read by its shape: copies of the package do not share a class. */
const FailedRequest = z.object({
  statusCode: z.number().optional(),
  responseHeaders: z.record(z.string(), z.string()).optional(),
  responseBody: z.string().optional(),
});

/** What a provider said about a failure. */
export interface ProviderWords {
  readonly status: number | null;
  readonly headers: Readonly<Record<string, string>>;
  /** Its own words for what went wrong, such as `invalid_api_key`. */
  readonly codes: readonly string[];
  readonly message: string;
}

export function wordsOf(error: unknown): ProviderWords {
  const request = FailedRequest.safeParse(error).data ?? {};
  const body = request.responseBody === undefined ? said(error) : parsed(request.responseBody);
  const told = isJsonObject(body) && isJsonObject(body.error) ? body.error : body;
  const fields = isJsonObject(told) ? told : {};
  return {
    status: request.statusCode ?? statusIn(fields),
    headers: request.responseHeaders ?? {},
    codes: codesIn(fields),
    message: messageIn(body, fields),
  };
}

/** As much as one sentence holds, without the secrets, on one line. */
export function quoted(message: string, secrets: readonly string[]): string {
  let clean = message;
  for (const secret of secrets) clean = clean.replaceAll(secret, '[…]').replaceAll(encodeURIComponent(secret), '[…]');
  const line = clean
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .replace(/\.$/, '');
  return line.length > limits.model_words_chars ? `${line.slice(0, limits.model_words_chars)}…` : line;
}

/** A failure that came within a stream is told as the SDK was told it. */
function said(error: unknown): unknown {
  return error instanceof Error ? {} : error;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function statusIn({ code, status }: JsonObject): number | null {
  return [code, status].find((value) => typeof value === 'number') ?? null;
}

function codesIn(fields: JsonObject): string[] {
  const details = Array.isArray(fields.details) ? fields.details.filter(isJsonObject) : [];
  const given: (Json | undefined)[] = [fields.code, fields.type, fields.status, ...details.map(({ reason }) => reason)];
  return given.filter((value) => typeof value === 'string');
}

function messageIn(body: unknown, fields: JsonObject): string {
  if (typeof fields.message === 'string') return fields.message;
  if (!isJsonObject(body)) return '';
  return [body.error, body.message, body.detail].find((value) => typeof value === 'string') ?? '';
}
