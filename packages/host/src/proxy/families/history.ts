import type { CallTarget } from '@rostra/kernel/grant/check-call';
import type { Grant } from '@rostra/kernel/grant/grant';
import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { HistoryFilters, TranscriptItem } from '@rostra/protocol/api/history';
import type { JsonObject } from '@rostra/protocol/wire/json';
import type { ActiveRun } from '../../orchestrator/run-charter.ts';
import { type Cursors, historyScope } from '../../store/cursor.ts';
import type { ArtifactStore } from '../../store/ports/artifact.ts';
import type { TranscriptFilter, TranscriptPage, TranscriptStore } from '../../store/ports/transcript.ts';
import type { ApiFamily, CheckedParams } from '../api-family.ts';
import {
  ConversationReach,
  type ConversationSources,
  isOwn,
  reachOf,
  rowsBeyond,
  rowsWithin,
} from '../conversation-reach.ts';
import { metadataOf } from './artifacts.ts';

export interface HistoryDeps extends ConversationSources {
  readonly transcript: Pick<TranscriptStore, 'page' | 'search' | 'has'>;
  readonly artifacts: Pick<ArtifactStore, 'get'>;
  readonly cursors: Pick<Cursors, 'seal' | 'open'>;
  readonly now: () => number;
}

/** What was said, as the transcript has it: in the run's own conversation, bot and thread, or as far as its grant goes. */
export function historyFamily(deps: HistoryDeps): ApiFamily<'history.page' | 'history.search'> {
  const reach = new ConversationReach(deps);
  const { transcript, cursors } = deps;
  return {
    'history.page': {
      async asks({ conversation_id }, { charter: { grant } }) {
        const page = { family: 'history', operation: 'page' } as const;
        if (conversation_id === null || isOwn(grant, conversation_id)) return page;
        return { ...page, target: await reach.targetOf(grant, conversation_id) };
      },
      async serve(params, { charter: { grant } }) {
        const conversation_id = params.conversation_id ?? grant.scope.conversation_id;
        const { rows, has_more } = await transcript.page(conversation_id, pageOf(params, grant, cursors));
        const items = rows.map((row) => itemOf(row, grant, cursors));
        if (params.include_artifacts) await addArtifacts(items, deps);
        const [first = null, last = null] = [items[0]?.cursor, items.at(-1)?.cursor];
        const [on, back] = params.direction === 'backward' ? [first, last] : [last, first];
        return { items, next_cursor: has_more ? on : null, prev_cursor: back, has_more };
      },
    },

    'history.search': {
      async asks({ filters }, run) {
        const search = { family: 'history', operation: 'search' } as const;
        const target = await searchTarget(filters, run, reach);
        return target === undefined ? search : { ...search, target };
      },
      async serve({ query, filters, top_k }, { charter: { grant } }) {
        const { conversation_id } = filters;
        const isEverywhere = conversation_id === undefined && reachOf(grant) !== 'conversation';
        const session = isEverywhere ? {} : { session_id: conversation_id ?? grant.scope.conversation_id };
        const { workspace_id } = grant.scope;
        const where = searchFilter(filters, grant, isEverywhere);
        const { rows, total } = await transcript.search({ query, workspace_id, ...session, where, limit: top_k });
        return { items: rows.map((row) => itemOf(row, grant, cursors)), total_count: total };
      },
    },
  };
}

/** A search that names a thread of its own conversation goes elsewhere if that is not the run's. */
async function searchTarget(
  { conversation_id, thread_id }: HistoryFilters,
  { charter: { grant } }: ActiveRun,
  reach: ConversationReach,
): Promise<CallTarget | null | undefined> {
  if (conversation_id !== undefined && !isOwn(grant, conversation_id)) return reach.targetOf(grant, conversation_id);
  if (thread_id === undefined || thread_id === grant.scope.thread_id) return undefined;
  return { ...grant.scope, thread_id };
}

/** Rows that the grant reaches, narrowed by the filters: these add conditions and take none away. */
function searchFilter(filters: HistoryFilters, grant: Grant, isEverywhere: boolean): TranscriptFilter {
  const { thread_id, event_types, roles, after, before } = filters;
  const elsewhere = isEverywhere || (thread_id !== undefined && thread_id !== grant.scope.thread_id);
  const within = elsewhere ? rowsBeyond(grant) : rowsWithin(grant, filters.conversation_id);
  return {
    ...within,
    ...(thread_id !== undefined && { thread_id }),
    ...(event_types !== undefined && { event_types }),
    ...(roles !== undefined && { roles }),
    // Whole seconds: later than the last moment of one, earlier than the first of another.
    ...(after !== undefined && { since: after * 1000 + 999 }),
    ...(before !== undefined && { until: before * 1000 }),
  };
}

function pageOf(params: CheckedParams<'history.page'>, grant: Grant, cursors: Pick<Cursors, 'open'>): TranscriptPage {
  const { before_cursor, after_cursor, limit, direction, conversation_id } = params;
  const scope = cursorScope(grant, conversation_id ?? grant.scope.conversation_id);
  const seqOf = (cursor: string) => Number(cursors.open(scope, cursor));
  return {
    limit,
    from: direction === 'backward' ? 'newest' : 'oldest',
    where: rowsWithin(grant, conversation_id),
    ...(before_cursor !== null && { before: seqOf(before_cursor) }),
    ...(after_cursor !== null && { after: seqOf(after_cursor) }),
  };
}

/** Of another conversation a run knows no thread. */
function cursorScope({ scope }: Grant, conversation_id: string) {
  const { workspace_id, thread_id } = scope;
  const own = conversation_id === scope.conversation_id;
  return historyScope({ workspace_id, conversation_id, thread_id: own ? thread_id : null });
}

function itemOf(row: TranscriptRow, grant: Grant, cursors: Pick<Cursors, 'seal'>): TranscriptItem {
  const { session_id: conversation_id, seq, actor, content_json, ui_schema } = row;
  return {
    item_id: row.item_id,
    seq,
    cursor: cursors.seal(cursorScope(grant, conversation_id), String(seq)),
    conversation_id,
    thread_id: row.thread_id,
    run_id: row.run_id,
    event_id: row.event_id,
    role: row.role,
    item_type: row.item_type,
    actor: typeof actor?.id === 'string' ? actor.id : null,
    content: row.content,
    ...(content_json !== null && { content_json }),
    attachments: row.attachments,
    ...(ui_schema !== null && { ui_schema }),
    created_at: Math.floor(row.created_at / 1000),
    metadata: row.metadata,
  };
}

/** What is known of the artifacts that messages name and that are still there; their bytes are read by other calls. */
async function addArtifacts(items: TranscriptItem[], { artifacts, now }: HistoryDeps): Promise<void> {
  const ids = new Set(items.flatMap(({ attachments }) => attachments.map(({ artifact_id }) => artifact_id)));
  const known = new Map<string, JsonObject>();
  await Promise.all(
    [...ids].map(async (artifact_id) => {
      const row = await artifacts.get(artifact_id, now());
      if (row === null) return;
      const { conversation_id: _, run_id: __, ...about } = metadataOf(row);
      known.set(artifact_id, about);
    }),
  );
  for (const item of items) {
    const found = item.attachments.flatMap(({ artifact_id }) => known.get(artifact_id) ?? []);
    if (item.attachments.length > 0) item.metadata = { ...item.metadata, artifacts: found };
  }
}
