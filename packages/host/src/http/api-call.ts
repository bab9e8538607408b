import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '@rostra/protocol/run-api/operation';
import { forbiddenKey } from '@rostra/protocol/run-api/run-rules';
import { limits } from '@rostra/protocol/wire/limits';
import { schemaFault } from '@rostra/protocol/wire/schema-fault';
import type { z } from 'zod';
import type { Clock } from '../session/clock.ts';
import { checkContentType } from './content-type.ts';
import { HttpError } from './errors.ts';
import { readJson } from './json-body.ts';

const HINT = 'GET /api/v1/reference shows what this operation takes.';

function refused(message: string, details: Record<string, string>): HttpError {
  return new HttpError(422, 'invalid_argument', message, { details: { ...details, hint: HINT } });
}

/** What the schema makes of a value; 422 names the first thing that is wrong, and never repeats the value. */
function parsed(schema: z.ZodType, value: unknown, place: 'query' | 'body'): unknown {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  if (issue?.code === 'unrecognized_keys') {
    const path = [...issue.path, ...issue.keys.slice(0, 1)].map(String).join('.');
    throw refused(`${path}: there is no such key`, { in: place, path });
  }
  const { path, sentence } = schemaFault(error, `the ${place}`);
  throw refused(sentence, { in: place, path });
}

/** The parameters of a url. One that is given twice has no meaning that both sides would agree on. */
export function readQuery({ query }: Operation, search: string): unknown {
  if (query === undefined) return {};
  const values: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(search)) {
    if (!Object.hasOwn(query.shape, name)) continue;
    if (name in values) throw refused(`${name}: is given more than once`, { in: 'query', path: name });
    // It would count as 0 where a number is wanted.
    if (value === '') throw refused(`${name}: has no value`, { in: 'query', path: name });
    values[name] = value;
  }
  return parsed(query, { ...values }, 'query');
}

function isEmpty({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

/** A body by the operation's schema; none is refused unless the schema can do without. */
export async function readJsonBody(
  { body: schema, bytes = limits.run_body_bytes }: Operation,
  req: IncomingMessage,
  res: ServerResponse,
  clock: Clock,
): Promise<unknown> {
  if (schema === undefined) return undefined;
  if (isEmpty(req) && schema.safeParse(undefined).success) return parsed(schema, undefined, 'body');
  checkContentType(req);
  const limit = { bytes, message: 'the body exceeds the size limit' };
  const value = await readJson(req, res, limit, clock);
  const key = typeof value === 'object' && value !== null ? forbiddenKey({ ...value }) : null;
  if (key !== null) throw refused(`the key ${key} is not allowed`, { in: 'body', path: key });
  return parsed(schema, value, 'body');
}
