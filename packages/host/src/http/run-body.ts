import { hash } from 'node:crypto';
import type { RunAgentInput } from '@rostra/protocol/run-api/run-agent-input';
import { checkRunAgentInput } from '@rostra/protocol/run-api/run-rules';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import { type JsonFault, scanJson } from '@rostra/protocol/wire/json-scan';
import { limits } from '@rostra/protocol/wire/limits';
import { HttpError } from './errors.ts';

const faults: Readonly<Record<JsonFault, [status: number, message: string]>> = {
  too_deep: [422, `the body is nested deeper than ${limits.json_depth} levels`],
  too_many_nodes: [422, `the body has more than ${limits.json_nodes} values`],
  invalid_utf8: [400, 'the body is not UTF-8'],
  byte_order_mark: [400, 'the body begins with a byte order mark'],
  lone_surrogate: [400, 'the body has half a surrogate pair'],
};

/** Bytes that must be JSON, within the bounds of what is looked at any closer. */
export function parseJson(body: Buffer): unknown {
  const fault = scanJson(body, { depth: limits.json_depth, nodes: limits.json_nodes });
  if (fault !== null) {
    const [status, message] = faults[fault];
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

/** Bytes to a checked run, and the hash that tells a repeat from another body under the same name (RA-9.20). */
export function readRun(body: Buffer): { input: RunAgentInput; payload_hash: string } {
  const parsed = parseJson(body);
  const check = checkRunAgentInput(parsed);
  if (!check.ok) throw check.error;
  return { input: check.input, payload_hash: hash('sha256', canonicalJson(parsed), 'base64url') };
}
