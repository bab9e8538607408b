import { streamOperations } from '@rostra/protocol/run-api/operations/streams';
import type { Principal } from '../../session/session-gateway.ts';
import { isHostId, sessionIdOf } from '../../session/session-id.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { HttpError } from '../errors.ts';
import type { StreamHub } from '../sse/stream-hub.ts';
import { cursorOf } from './events.ts';

export interface SessionEventDeps {
  hub: StreamHub;
  gateway: SessionReader;
}

export interface SessionReader {
  mayRead(session_id: string, principal: Principal): Promise<boolean>;
}

/** The session's id as the log has it; the same refusal for one that never was and for one of somebody else. */
export async function readableSession(reader: SessionReader, named: string, principal: Principal): Promise<string> {
  const session_id = sessionIdOf(named);
  if (isHostId(session_id) && (await reader.mayRead(session_id, principal))) return session_id;
  throw new HttpError(404, 'not_found', 'there is no such session', {
    details: { hint: 'A session is named by the threadId of its runs.' },
  });
}

export function sessionEventRoutes({ hub, gateway }: SessionEventDeps): ApiRoute[] {
  return [
    route(streamOperations.followSession, async ({ principal, params, query, req, res }) => {
      const cursor = cursorOf(req, query.after);
      const session_id = await readableSession(gateway, params.sessionId, principal);
      const { format, from: from_seq } = query;
      await hub.followSession(session_id, { format, cursor, from_seq, principal }, res);
      return 'answered';
    }),
    route(streamOperations.openSocket, async () => {
      throw new HttpError(426, 'invalid_argument', 'this path is a websocket', {
        details: { hint: 'Connect with the ws or wss scheme.' },
        headers: { Upgrade: 'websocket', Connection: 'Upgrade' },
      });
    }),
  ];
}
