import type { IncomingMessage, ServerResponse } from 'node:http';
import { type JsonFault, scanJson } from '@rostra/protocol/wire/json-scan';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../session/clock.ts';
import { type BodyLimit, readBody } from './body.ts';
import { HttpError } from './errors.ts';

/** How deep and how many values a body may be; those of a run unless told. */
export interface JsonBounds {
  readonly depth?: number;
  readonly nodes?: number;
}

type Sentence = (bounds: Required<JsonBounds>) => [status: number, message: string];

const faults: Readonly<Record<JsonFault, Sentence>> = {
  too_deep: ({ depth }) => [422, `the body is nested deeper than ${depth} levels`],
  too_many_nodes: ({ nodes }) => [422, `the body has more than ${nodes} values`],
  invalid_utf8: () => [400, 'the body is not UTF-8'],
  byte_order_mark: () => [400, 'the body begins with a byte order mark'],
  lone_surrogate: () => [400, 'the body has half a surrogate pair'],
};

/** Bytes that must be JSON, within the bounds of what is looked at any closer. */
export function parseJson(
  body: Buffer,
  { depth = limits.json_depth, nodes = limits.json_nodes }: JsonBounds = {},
): unknown {
  const bounds = { depth, nodes };
  const fault = scanJson(body, bounds);
  if (fault !== null) {
    const [status, message] = faults[fault](bounds);
    throw new HttpError(status, 'invalid_argument', message);
  }
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new HttpError(400, 'invalid_argument', 'the body is not JSON', {
      details: { hint: 'Check quotes, commas and brackets; in a shell, put the body into single quotes.' },
    });
  }
}

/** Reads a JSON body: its bytes are counted before they are kept, its depth and values before they are parsed. */
export async function readJson(
  req: IncomingMessage,
  res: ServerResponse,
  limit: BodyLimit & JsonBounds,
  clock: Clock,
): Promise<unknown> {
  return parseJson(await readBody(req, res, limit, clock), limit);
}
