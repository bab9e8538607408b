import type { IncomingMessage, ServerResponse } from 'node:http';
import { mentionOf } from '@rostra/kernel/agui/inbound';
import { clientToolFault } from '@rostra/kernel/grant/client-tool';
import type { RunAgentInput } from '@rostra/protocol/run-api/run-agent-input';
import { RunRule } from '@rostra/protocol/run-api/run-rules';
import type { TaskAcceptedResponse } from '@rostra/protocol/run-api/task';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Clock } from '../../session/clock.ts';
import type { Principal } from '../../session/session-gateway.ts';
import { readBody } from '../body.ts';
import { checkContentType } from '../content-type.ts';
import { HttpError, sendJson } from '../errors.ts';
import type { HostStatus, RunGateway } from '../ports.ts';
import { readRun } from '../run-body.ts';
import { type SubmissionDeps, submitTurn } from '../run-submission.ts';

export const RUNS_PATH = '/api/v1/agent/runs';

const EVENT_STREAM = 'text/event-stream';

const bodyLimit = { bytes: limits.run_body_bytes, message: RunRule.payload };

/** The media types of an Accept header, without those that it rules out by `q=0`. */
function accepted(header: string): string[] {
  return header.split(',').flatMap((item) => {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [type];
  });
}

/** Whether a stream is asked for by its name: who takes anything gets JSON (RA-9.2). */
export function wantsStream({ headers: { accept } }: IncomingMessage): boolean {
  return accept !== undefined && accept !== '*/*' && accepted(accept).includes(EVENT_STREAM);
}

/** The strict profile answers JSON (RA-9.1, RA-9.3). */
function checkAccept(header: string | undefined): void {
  if (header === undefined || header === '*/*' || header === 'application/json') return;
  if (accepted(header).some((type) => type === '*/*' || type === 'application/*' || type === 'application/json'))
    return;
  throw new HttpError(406, 'invalid_argument', 'this path answers with application/json or text/event-stream', {
    details: { hint: 'Accept application/json, or text/event-stream for the events of the run.' },
  });
}

/** RA-9.23: matched byte for byte, so that a look-alike is unknown. */
export function checkAgent(mention: string, agents: readonly string[]): void {
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

export interface RunsDeps extends SubmissionDeps {
  readonly gateway: RunGateway;
  readonly clock: Clock;
  status(): HostStatus;
  isDraining(): boolean;
  /** The names of the host's own tools: a client cannot offer one under them. */
  hostTools(): readonly string[];
}

/** RA-9.27: a tool of the client does not stand in for one of the host. */
export function checkTools(deps: RunsDeps, { tools = [] }: RunAgentInput): void {
  const fault = tools.length === 0 ? null : clientToolFault(tools, deps.hostTools());
  if (fault !== null) throw new ApiError(fault.code, fault.message, fault);
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
  const body = await readBody(req, res, bodyLimit, deps.clock);
  const { input, payload_hash } = readRun(body);
  const agent_id = mentionOf(input);
  if (agent_id !== undefined) checkAgent(agent_id, deps.status().agents);
  checkTools(deps, input);
  const order = { input, payload_hash, bytes: body.length, agent_id };
  const { turn_id, created_at } = await submitTurn(deps, principal, order);
  const answer: TaskAcceptedResponse = {
    taskId: turn_id,
    threadId: input.threadId,
    runId: input.runId,
    created: new Date(created_at).toISOString(),
  };
  const location = `${RUNS_PATH}/${turn_id}`;
  sendJson(res, 202, JSON.stringify(answer), { Location: location, 'Content-Location': location });
}
