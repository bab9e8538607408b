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

/**
 * Bytes that must be JSON, within the bounds of what is looked at any closer. `mend` sees a body that has half a
 * surrogate pair somewhere before it is refused for that.
 */
export function parseJson(
  body: Buffer,
  { depth = limits.json_depth, nodes = limits.json_nodes }: JsonBounds = {},
  mend?: (parsed: unknown) => unknown,
): unknown {
  const bounds = { depth, nodes };
  const fault = scanJson(body, bounds);
  if (fault === null) return parsed(body);
  if (fault !== 'lone_surrogate' || mend === undefined) throw refusal(fault, bounds);
  // It may be too deep behind the half.
  const other = scanJson(body, { ...bounds, halves: true });
  if (other !== null) throw refusal(other, bounds);
  const mended = mend(parsed(body));
  if (hasHalf(mended)) throw refusal(fault, bounds);
  return mended;
}

/** Whether half a surrogate pair stands in any name or text of what was parsed; it is nested no deeper than its bounds. */
function hasHalf(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasHalf);
  return Object.entries(value).some(([key, each]) => !key.isWellFormed() || hasHalf(each));
}

function refusal(fault: JsonFault, bounds: Required<JsonBounds>): HttpError {
  const [status, message] = faults[fault](bounds);
  return new HttpError(status, 'invalid_argument', message);
}

function parsed(body: Buffer): unknown {
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
