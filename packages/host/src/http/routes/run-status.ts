import { runStatusOperations as operations } from '@rostra/protocol/run-api/operations/run-status';
import { type ContinuedLog, continuedTurn } from '../../projection/continued-turn.ts';
import type { SessionDesk } from '../../session/session-desk.ts';
import type { Principal, SessionGateway } from '../../session/session-gateway.ts';
import type { CursorScope, Cursors } from '../../store/cursor.ts';
import type { SessionStore, TurnRow } from '../../store/port.ts';
import type { SessionCare } from '../../store/ports/session-care.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { HttpError } from '../errors.ts';
import type { TaskReader } from '../task-reader.ts';
import { findTask, noSuchTask } from '../task-response.ts';
import { ownedBy } from './sessions.ts';

export interface RunStatusDeps {
  readonly gateway: Pick<SessionGateway, 'findTurn'>;
  readonly desk: Pick<SessionDesk, 'find'>;
  readonly store: Pick<SessionStore, 'findMessage'> & ContinuedLog & { readonly sessions: Pick<SessionCare, 'turns'> };
  readonly cursors: Cursors;
  readonly tasks: TaskReader;
}

function listScope({ workspace_id, user_id, is_admin = false }: Principal, session_id: string | null): CursorScope {
  return { family: 'tasks', workspace_id, conversation_id: is_admin ? '' : user_id, thread_id: session_id };
}

/** The run that a client gave this name in a thread; null when it gave it to none. */
function named({ store }: RunStatusDeps, session_id: string, runId: string): Promise<TurnRow | null> {
  return new Promise((resolve, reject) => {
    store.findMessage(session_id, `run:${runId}`, (error, found) => {
      if (error !== null) reject(error);
      else resolve(found === true ? continuedTurn(store, session_id, runId) : found);
    });
  });
}

export function runStatusRoutes(deps: RunStatusDeps): ApiRoute[] {
  const { gateway, desk, store, cursors, tasks } = deps;
  return [
    route(operations.getRun, async ({ principal, params }) => ({
      status: 200,
      body: await tasks.describe(await findTask(gateway, params.taskId, principal)),
    })),
    route(operations.listRuns, async ({ principal, query }) => {
      const { threadId, runId, cursor, limit } = query;
      if (runId !== undefined && threadId === undefined) throw nameless();
      const session_id = threadId === undefined ? null : (await desk.find(threadId, principal)).session_id;
      if (session_id !== null && runId !== undefined) {
        const turn = await named(deps, session_id, runId);
        if (turn === null) throw noSuchTask();
        return { status: 200, body: await tasks.describe(turn) };
      }
      const scope = listScope(principal, session_id);
      const { rows, has_more } = await store.sessions.turns(
        { ...ownedBy(principal), ...(session_id !== null && { session_id }) },
        { ...(cursor !== undefined && { before: cursors.open(scope, cursor) }), ...(limit !== undefined && { limit }) },
      );
      const last = rows.at(-1);
      const nextCursor = has_more && last !== undefined ? cursors.seal(scope, last.turn_id) : null;
      return { status: 200, body: { items: await tasks.describeAll(rows), nextCursor } };
    }),
  ];
}

function nameless(): HttpError {
  return new HttpError(422, 'invalid_argument', 'runId: is a name within a thread', {
    details: { path: 'runId', hint: 'Give its threadId too.' },
  });
}
