import type { IncomingMessage } from 'node:http';
import type { HistoryMessage, HistorySnapshotResponse } from '@rostra/protocol/run-api/history';
import { historyOperations as operations } from '@rostra/protocol/run-api/operations/history';
import { messagesOnly } from '../../projection/amended-rows.ts';
import { historyDay } from '../../projection/history-day.ts';
import type { SessionDesk } from '../../session/session-desk.ts';
import type { Principal } from '../../session/session-gateway.ts';
import type { SessionCare } from '../../store/ports/session-care.ts';
import type { ShownMessage, TranscriptStore } from '../../store/ports/transcript.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { HttpError } from '../errors.ts';
import { type ReaderParts, readerMeans } from '../reader-means.ts';
import { historyMessage } from '../transcript-item.ts';

export interface HistoryRouteDeps {
  readonly desk: Pick<SessionDesk, 'find'>;
  readonly store: { readonly transcript: TranscriptStore; readonly sessions: Pick<SessionCare, 'browse'> };
  readonly reader: ReaderParts;
}

const nothing: HistorySnapshotResponse = {
  scope: 'history_day',
  threadId: null,
  day: null,
  hasMore: false,
  messages: [],
};

/** An IANA name is never longer. */
const ZONE_CHARS_MAX = 64;

function zoneOf({ headers }: IncomingMessage): string {
  const zone = headers['x-timezone'];
  if (zone === undefined) return 'UTC';
  if (typeof zone === 'string' && zone.length <= ZONE_CHARS_MAX) return zone;
  throw new HttpError(422, 'invalid_argument', 'There is no time zone of that name.', {
    details: { hint: 'Name it as the IANA database does, e.g. Europe/Berlin.' },
  });
}

/** The session that is meant: the one that is named, or the caller's own that was used last; null without any. */
async function threadOf(
  { desk, store }: HistoryRouteDeps,
  threadId: string | undefined,
  principal: Principal,
): Promise<string | null> {
  if (threadId !== undefined) return (await desk.find(threadId, principal)).session_id;
  const { workspace_id, user_id: owner_id } = principal;
  const { rows } = await store.sessions.browse({ workspace_id, owner_id }, { limit: 1 });
  return rows[0]?.session_id ?? null;
}

/** `GET /api/v1/agent/history`: one day of a thread (RA-6). */
export function historyRoutes(deps: HistoryRouteDeps): ApiRoute[] {
  const { transcript } = deps.store;
  return [
    route(operations.getHistory, async ({ principal, query, req }) => {
      const timezone = zoneOf(req);
      const { threadId, before } = query;
      const session_id = await threadOf(deps, threadId, principal);
      if (session_id === null) return { status: 200, body: nothing };
      const wanted = { session_id, timezone, where: messagesOnly, ...(before !== undefined && { before }) };
      const { day, has_more, pages } = await historyDay(transcript, wanted);
      const all: ShownMessage[] = [];
      for await (const page of pages) all.push(...page);
      const means = await readerMeans(deps.reader, session_id, principal, req);
      const [first] = all;
      const earlier =
        first === undefined || !has_more ? 0 : await transcript.count(session_id, first.seq, messagesOnly);
      const messages: HistoryMessage[] = [];
      for (const [index, message] of all.entries()) {
        // A message that was taken back keeps its number: those of the others stay as they are.
        const shown = historyMessage(message, earlier + index + 1, means);
        if (shown !== null) messages.push(shown);
      }
      return { status: 200, body: { ...nothing, threadId: session_id, day, hasMore: has_more, messages } };
    }),
  ];
}
