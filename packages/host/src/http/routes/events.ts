import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../session/session-gateway.ts';
import type { RunGateway } from '../ports.ts';
import { type Cursor, parseCursor } from '../sse/cursor.ts';
import type { StreamHub } from '../sse/stream-hub.ts';
import { findTask } from '../task-response.ts';

/** The header is what a browser sends when it comes back, so it is newer than what the url says. */
function cursorOf(req: IncomingMessage, query: string): Cursor | null {
  const header = req.headers['last-event-id'];
  const after = new URLSearchParams(query).get('after') ?? '';
  const text = typeof header === 'string' && header !== '' ? header : after;
  return text === '' ? null : parseCursor(text);
}

/** `GET /api/v1/agent/runs/{taskId}/events`: the task as AG-UI events, from the start or after an id (RA-9.7). */
export async function getEvents(
  deps: { gateway: RunGateway; hub: StreamHub },
  principal: Principal,
  target: { taskId: string; query: string },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const cursor = cursorOf(req, target.query);
  const turn = await findTask(deps.gateway, target.taskId, principal);
  await deps.hub.follow(turn, cursor, res);
}
