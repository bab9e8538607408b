import { frameId } from '@rostra/kernel/agui/frame';
import { sessionOperations as operations } from '@rostra/protocol/run-api/operations/sessions';
import type { SessionItem, SessionSnapshot } from '@rostra/protocol/run-api/session-api';
import { lastRecord } from '../../projection/last-record.ts';
import type { SessionPast } from '../../projection/session-past.ts';
import { type AgentWords, keptState, sessionView } from '../../projection/session-view.ts';
import { noSuchSession, type SessionDesk } from '../../session/session-desk.ts';
import type { Principal } from '../../session/session-gateway.ts';
import type { CursorScope, Cursors } from '../../store/cursor.ts';
import type { SessionStore } from '../../store/port.ts';
import type { ListPlace, SessionCare } from '../../store/ports/session-care.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { sessionItem } from '../session-item.ts';
import { isSeen } from '../sse/message-framing.ts';

export interface SessionRouteDeps {
  readonly desk: SessionDesk;
  readonly store: Pick<SessionStore, 'readAt'> & { readonly sessions: SessionCare };
  readonly past: SessionPast;
  readonly cursors: Cursors;
  readonly words: AgentWords;
  /** Refuses an input beyond the caller's rate, or while the host shuts down. */
  checkInput(principal: Principal): void | Promise<void>;
  /** A session that is gone has nothing to follow. */
  closeStreams(session_id: string): void;
}

/** Whose sessions the caller may see. */
export function ownedBy({ workspace_id, user_id, is_admin = false }: Principal) {
  return { workspace_id, ...(is_admin ? {} : { owner_id: user_id }) };
}

function listScope({ workspace_id, user_id, is_admin = false }: Principal): CursorScope {
  return { family: 'sessions', workspace_id, conversation_id: is_admin ? '' : user_id, thread_id: null };
}

/** `active_at` and `key` in one text. */
function placeText({ active_at, key }: ListPlace): string {
  return `${active_at}.${key}`;
}

function placeOf(text: string): ListPlace {
  const [active_at, key] = text.split('.').map(Number);
  return { active_at: active_at ?? 0, key: key ?? 0 };
}

export function sessionRoutes(deps: SessionRouteDeps): ApiRoute[] {
  const { desk, store, cursors } = deps;
  return [
    route(operations.listSessions, async ({ principal, query }) => {
      const scope = listScope(principal);
      const { rows, has_more } = await store.sessions.browse(ownedBy(principal), {
        ...(query.cursor !== undefined && { before: placeOf(cursors.open(scope, query.cursor)) }),
        ...(query.limit !== undefined && { limit: query.limit }),
      });
      const last = rows.at(-1);
      const nextCursor = has_more && last !== undefined ? cursors.seal(scope, placeText(last)) : null;
      return { status: 200, body: { items: rows.map(sessionItem), nextCursor } };
    }),
    route(operations.createSession, async ({ principal, body }) => {
      const session_id = await desk.create(principal, body);
      const headers = { Location: `/api/v1/sessions/${encodeURIComponent(session_id)}` };
      return { status: 201, body: await snapshot(deps, session_id), headers };
    }),
    route(operations.getSession, async ({ principal, params, query }) => {
      const { session_id } = await desk.find(params.sessionId, principal);
      return { status: 200, body: await snapshot(deps, session_id, query.asOf) };
    }),
    route(operations.renameSession, async ({ principal, params, body }) => {
      const session_id = await desk.rename(params.sessionId, principal, body.title);
      return { status: 200, body: await item(deps, session_id) };
    }),
    route(operations.deleteSession, async ({ principal, params }) => {
      deps.closeStreams(await desk.delete(params.sessionId, principal));
      return { status: 204, body: null };
    }),
    route(operations.sendMessage, async ({ principal, params, body }) => {
      if (body.event === 'USER_INPUT') await deps.checkInput(principal);
      return { status: 202, body: await desk.send(params.sessionId, principal, body) };
    }),
  ];
}

async function item({ store }: SessionRouteDeps, session_id: string): Promise<SessionItem> {
  const [card] = await store.sessions.cards([session_id]);
  if (card === undefined) throw noSuchSession();
  return sessionItem(card);
}

/** A session that is deleted while it is read is none. */
async function snapshot(deps: SessionRouteDeps, session_id: string, asOf?: number): Promise<SessionSnapshot> {
  const { id, ownerId, title, isRenamed, createdAt, updatedAt } = await item(deps, session_id);
  const about = { id, ownerId, title, isRenamed, createdAt, updatedAt };
  if (asOf !== undefined) return { ...about, ...(await pastOf(deps, session_id, asOf)) };
  const latest = await deps.past.latest(session_id);
  if (latest === null) throw noSuchSession();
  const seen = await lastRecord(deps.store, session_id, latest.seq, isSeen);
  return {
    ...about,
    ...sessionView(latest.context, deps.words),
    lastSeq: latest.seq,
    lastEventId: seen === null ? null : frameId(seen.seq, 0, seen.epoch),
    keptState: null,
  };
}

async function pastOf({ past, words }: SessionRouteDeps, session_id: string, asOf: number) {
  const context = await past.contextAsOf(session_id, asOf);
  const told = await past.stateAsOf(session_id, asOf);
  if (context === null || told === null) throw noSuchSession();
  return { ...sessionView(context, words), lastSeq: asOf, lastEventId: null, keptState: keptState(told) };
}
