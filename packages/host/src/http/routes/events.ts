import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../session/session-gateway.ts';
import { HttpError } from '../errors.ts';
import type { RunGateway } from '../ports.ts';
import { type Cursor, parseCursor } from '../sse/cursor.ts';
import type { FollowUntil } from '../sse/follower.ts';
import type { StreamHub } from '../sse/stream-hub.ts';
import { findTask } from '../task-response.ts';

/** The header is what a browser sends when it comes back, so it is newer than what the url says. */
export function cursorOf(req: IncomingMessage, after: string | null | undefined): Cursor | null {
  const header = req.headers['last-event-id'];
  const text = typeof header === 'string' && header !== '' ? header : (after ?? '');
  return text === '' ? null : parseCursor(text);
}

function untilOf(text: string | null): FollowUntil {
  if (text === null || text === 'task_end') return 'task_end';
  if (text === 'run_end') return 'run_end';
  throw new HttpError(422, 'invalid_argument', 'until: a stream is followed to run_end or task_end', {
    details: { in: 'query', path: 'until', hint: 'Leave it out to follow the task to its end.' },
  });
}

/** `GET /api/v1/agent/runs/{taskId}/events`: the task as AG-UI events, from the start or after an id (RA-9.7). */
export async function getEvents(
  deps: { gateway: RunGateway; hub: StreamHub },
  principal: Principal,
  target: { taskId: string; query: string },
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const query = new URLSearchParams(target.query);
  const cursor = cursorOf(req, query.get('after'));
  const until = untilOf(query.get('until'));
  const turn = await findTask(deps.gateway, target.taskId, principal);
  await deps.hub.follow(turn, { cursor, until, principal }, res);
}
