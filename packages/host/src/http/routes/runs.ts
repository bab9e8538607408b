import type { IncomingMessage, ServerResponse } from 'node:http';
import { mentionOf, userInputOf } from '@rostra/kernel/agui/inbound';
import { RunRule } from '@rostra/protocol/run-api/run-rules';
import type { TaskAcceptedResponse } from '@rostra/protocol/run-api/task';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../../session/clock.ts';
import type { Principal } from '../../session/session-gateway.ts';
import { readBody } from '../body.ts';
import { HttpError, sendJson } from '../errors.ts';
import type { HostStatus, RunGateway } from '../ports.ts';
import { readRun } from '../run-body.ts';
import { newTurnId } from '../turn-id.ts';

export const RUNS_PATH = '/api/v1/agent/runs';

const bodyLimit = { bytes: limits.run_body_bytes, message: RunRule.payload };

/** The media types of an Accept header, without those that it rules out by `q=0`. */
function accepted(header: string): string[] {
  return header.split(',').flatMap((item) => {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [type];
  });
}

/** The strict profile answers JSON; whoever wants a stream is told where it is (RA-9.1, RA-9.3). */
function checkAccept(header: string | undefined): void {
  if (header === undefined || header === '*/*' || header === 'application/json') return;
  const types = accepted(header);
  if (types.includes('text/event-stream')) {
    throw new HttpError(406, 'invalid_argument', 'this path answers with JSON, not with a stream', {
      details: { hint: `Accept application/json here, then read GET ${RUNS_PATH}/{taskId}/events.` },
    });
  }
  if (types.some((type) => type === '*/*' || type === 'application/*' || type === 'application/json')) return;
  throw new HttpError(406, 'invalid_argument', 'this path answers with application/json', {
    details: { hint: 'Accept application/json.' },
  });
}

export function checkContentType({ headers }: IncomingMessage): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .split(';')
    .map((part) => part.trim().toLowerCase());
  const encoding = headers['content-encoding'] ?? 'identity';
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.replace(/"/g, '');
  const inUtf8 = charset === undefined || charset === 'charset=utf-8';
  if (type === 'application/json' && inUtf8 && encoding === 'identity') return;
  throw new HttpError(415, 'invalid_argument', 'the body must be application/json in UTF-8, not compressed', {
    details: { hint: 'Send the header Content-Type: application/json.' },
  });
}

/** RA-9.23: matched byte for byte, so that a look-alike is unknown. */
function checkAgent(mention: string, agents: readonly string[]): void {
  if (agents.includes(mention)) return;
  throw new HttpError(404, 'not_found', 'there is no such agent', {
    details: { agents: [...agents], hint: 'Name one of these agents in forwardedProps.agentId, or none.' },
  });
}

export function checkDraining(isDraining: boolean): void {
  if (!isDraining) return;
  throw new HttpError(503, 'runtime_error', 'the host is shutting down', {
    retryable: true,
    details: { hint: 'Send it again when the host is back.' },
  });
}

interface RunsDeps {
  gateway: RunGateway;
  clock: Clock;
  status(): HostStatus;
  isDraining(): boolean;
}

/** `POST /api/v1/agent/runs`: a checked body becomes a message to its session; 202 when that is committed. */
export async function postRun(
  deps: RunsDeps,
  principal: Principal,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  checkDraining(deps.isDraining());
  checkAccept(req.headers.accept);
  checkContentType(req);
  const { input, payload_hash } = readRun(await readBody(req, res, bodyLimit, deps.clock));
  const mention = mentionOf(input);
  if (mention !== undefined) checkAgent(mention, deps.status().agents);
  const { turn_id, created_at } = await deps.gateway.submitRun({
    session_id: input.threadId.toLowerCase(),
    principal,
    message_id: `run:${input.runId}`,
    turn_id: newTurnId(),
    payload: userInputOf(input, payload_hash),
    open: mention === undefined ? {} : { active_agent_id: mention },
  });
  const answer: TaskAcceptedResponse = {
    taskId: turn_id,
    threadId: input.threadId,
    runId: input.runId,
    created: new Date(created_at).toISOString(),
  };
  const location = `${RUNS_PATH}/${turn_id}`;
  sendJson(res, 202, JSON.stringify(answer), { Location: location, 'Content-Location': location });
}
