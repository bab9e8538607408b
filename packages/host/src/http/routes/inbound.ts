import type { IncomingMessage, ServerResponse } from 'node:http';
import { EventSubmission } from '@rostra/protocol/run-api/event-submission';
import { forbiddenKey } from '@rostra/protocol/run-api/run-rules';
import { isJsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { schemaFault } from '@rostra/protocol/wire/schema-fault';
import type { Clock } from '../../session/clock.ts';
import type { Principal } from '../../session/session-gateway.ts';
import { readBody } from '../body.ts';
import { checkContentType } from '../content-type.ts';
import { HttpError, sendJson } from '../errors.ts';
import { parseJson } from '../json-body.ts';
import type { EventInbox } from '../ports.ts';
import { checkDraining, RUNS_PATH } from './runs.ts';

export const EVENTS_PATH = '/api/v1/events';

const bodyLimit = { bytes: limits.event_body_bytes, message: 'the event exceeds the size limit' };

interface InboundDeps {
  events: EventInbox;
  clock: Clock;
  isDraining(): boolean;
}

function invalid(message: string, path: string): HttpError {
  return new HttpError(422, 'invalid_argument', message, {
    details: { path, hint: 'See docs/events.md for what an event is made of.' },
  });
}

function readEvent(body: Buffer): EventSubmission {
  const parsed = parseJson(body);
  if (!isJsonObject(parsed)) {
    throw invalid('the body must be an AgentEventEnvelope object', '');
  }
  const key = forbiddenKey({ ...parsed });
  if (key !== null) throw invalid(`the key ${key} is not allowed`, key);
  const { data, error } = EventSubmission.safeParse(parsed);
  if (data !== undefined) return data;
  const { path, sentence } = schemaFault(error, 'the event');
  throw invalid(sentence, path);
}

/** `POST /api/v1/events`: an event becomes a turn of the agent that is bound to it; 202 when that is committed. */
export async function postEvent(
  deps: InboundDeps,
  principal: Principal,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  checkDraining(deps.isDraining());
  checkContentType(req);
  const event = readEvent(await readBody(req, res, bodyLimit, deps.clock));
  const accepted = await deps.events.accept(event, principal);
  sendJson(res, 202, JSON.stringify(accepted), { Location: `${RUNS_PATH}/${accepted.task_id}` });
}
