import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { SearchItem } from '@rostra/protocol/run-api/history';
import { historyOperations as operations } from '@rostra/protocol/run-api/operations/history';
import { limits } from '@rostra/protocol/wire/limits';
import { timeText } from '../../projection/session-view.ts';
import type { SessionDesk } from '../../session/session-desk.ts';
import type { SessionCare } from '../../store/ports/session-care.ts';
import type { TranscriptStore } from '../../store/ports/transcript.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { titleOf } from '../session-item.ts';
import { snippetOf } from '../snippet.ts';

export interface SearchRouteDeps {
  readonly desk: Pick<SessionDesk, 'find'>;
  readonly store: { readonly transcript: TranscriptStore; readonly sessions: Pick<SessionCare, 'cards'> };
}

/** How many are found unless told. */
const USUAL = 20;

export function searchRoutes({ desk, store }: SearchRouteDeps): ApiRoute[] {
  return [
    route(operations.searchMessages, async ({ principal, query }) => {
      const { q, sessionId, limit = USUAL } = query;
      const { workspace_id, user_id } = principal;
      const session = sessionId === undefined ? null : await desk.find(sessionId, principal);
      const { rows } = await store.transcript.search({
        query: q,
        workspace_id,
        // One session was found to be theirs; of all of them only their own are looked through, whoever runs the workspace.
        ...(session === null ? { owner_id: user_id } : { session_id: session.session_id }),
        current: true,
        where: { roles: ['user', 'assistant', 'tool'] },
        limit: Math.min(limit, limits.search_top_k),
      });
      const cards = await store.sessions.cards([...new Set(rows.map(({ session_id }) => session_id))]);
      const titles = new Map(cards.map((card) => [card.session_id, titleOf(card)]));
      return { status: 200, body: { items: rows.map((row) => searchItem(row, titles, q)) } };
    }),
  ];
}

function searchItem(row: TranscriptRow, titles: ReadonlyMap<string, string | null>, query: string): SearchItem {
  const { session_id, item_id, seq, role, actor, content, created_at } = row;
  return {
    sessionId: session_id,
    title: titles.get(session_id) ?? null,
    messageId: item_id,
    seq,
    role,
    agentId: actor?.type === 'agent' && typeof actor.id === 'string' ? actor.id : null,
    snippet: snippetOf(content, query),
    timestamp: timeText(created_at),
  };
}
