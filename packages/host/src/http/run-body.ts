import { hash } from 'node:crypto';
import type { AguiInput } from '@rostra/protocol/run-api/agui-input';
import { checkAguiInput } from '@rostra/protocol/run-api/agui-rules';
import type { RunAgentInput } from '@rostra/protocol/run-api/run-agent-input';
import { checkRunAgentInput } from '@rostra/protocol/run-api/run-rules';
import { canonicalJson } from '@rostra/protocol/wire/canonical-json';
import { limits } from '@rostra/protocol/wire/limits';
import { withWholeEcho } from './echo.ts';
import { parseJson } from './json-body.ts';

/** The hash tells a repeat from another body under the same name (RA-9.20). */
export interface RunBody<T> {
  readonly input: T;
  readonly payload_hash: string;
  /** How large it was. */
  readonly bytes: number;
}

function hashOf(parsed: unknown): string {
  return hash('sha256', canonicalJson(parsed), 'base64url');
}

/** Bytes to a checked run. */
export function readRun(body: Buffer): RunBody<RunAgentInput> {
  const parsed = parseJson(body);
  const check = checkRunAgentInput(parsed);
  if (!check.ok) throw check.error;
  return { input: check.input, payload_hash: hashOf(parsed), bytes: body.length };
}

/** Bytes to a checked body of AG-UI, which holds a whole thread. */
export function readAgui(body: Buffer): RunBody<AguiInput> {
  const parsed = parseJson(body, { nodes: limits.agui_nodes }, withWholeEcho);
  const check = checkAguiInput(parsed);
  if (!check.ok) throw check.error;
  return { input: check.input, payload_hash: hashOf(parsed), bytes: body.length };
}
