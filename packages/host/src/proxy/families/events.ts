import type { CallTarget } from '@rostra/kernel/grant/check-call';
import type { Grant } from '@rostra/kernel/grant/grant';
import type { EventRow } from '@rostra/kernel/projection/event-row';
import { toldEvent } from '@rostra/kernel/projection/told-event';
import type { LogRecord } from '@rostra/protocol/record/record';
import type { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import type { ActiveRun } from '../../orchestrator/run-charter.ts';
import type { CursorScope, Cursors } from '../../store/cursor.ts';
import type { EventStore } from '../../store/ports/event.ts';
import type { ApiFamily } from '../api-family.ts';
import { ConversationReach, type ConversationSources, isOwn, rowsWithin } from '../conversation-reach.ts';

/** These records of a session's log, as they stand there; one that is not there is left out. */
export type ReadRecords = (session_id: string, seqs: readonly number[]) => Promise<readonly LogRecord[]>;

export interface EventsDeps extends ConversationSources {
  readonly events: EventStore;
  readonly records: ReadRecords;
  readonly cursors: Pick<Cursors, 'seal' | 'open'>;
}

interface Told {
  readonly row: EventRow;
  readonly envelope: AgentEventEnvelope;
}

/** What happened, as the log has it (CX-4.9): inputs, tool calls, errors and system events, in stable envelopes. */
export function eventsFamily(deps: EventsDeps): ApiFamily<'events.get' | 'events.page'> {
  const reach = new ConversationReach(deps);
  const { events, records, cursors } = deps;

  async function tell(rows: readonly EventRow[], workspace_id: string): Promise<Told[]> {
    const [first] = rows;
    if (first === undefined) return [];
    const seqs = rows.map(({ seq }) => seq);
    const found = new Map((await records(first.session_id, seqs)).map((record) => [record.seq, record]));
    return rows.flatMap((row) => {
      const record = found.get(row.seq);
      return record === undefined ? [] : { row, envelope: toldEvent(record, row, workspace_id) };
    });
  }

  return {
    'events.get': {
      async asks({ event_id }, run) {
        const row = meant(await events.find(event_id), run);
        return { family: 'events', operation: 'get', target: row && (await targetOf(row, run, reach)) };
      },
      async serve({ event_id }, run) {
        const row = meant(await events.find(event_id), run);
        const workspace_id = row && (await reach.workspaceOf(row.session_id));
        const [told] = row === null || workspace_id === null ? [] : await tell([row], workspace_id);
        if (told === undefined) throw new ApiError('not_found', 'There is no such event in the scope of this run.');
        return told.envelope;
      },
    },

    'events.page': {
      async asks({ conversation_id }, { charter: { grant } }) {
        const page = { family: 'events', operation: 'page' } as const;
        if (conversation_id === null || isOwn(grant, conversation_id)) return page;
        return { ...page, target: await reach.targetOf(grant, conversation_id) };
      },
      async serve({ conversation_id: named, event_types, before_cursor, limit }, { charter: { grant } }) {
        const conversation_id = named ?? grant.scope.conversation_id;
        const scope = cursorScope(grant, conversation_id);
        const before = before_cursor === null ? {} : { before: Number(cursors.open(scope, before_cursor)) };
        const where = { ...rowsWithin(grant, named), ...(event_types.length > 0 && { event_types }) };
        const { rows, has_more } = await events.page(conversation_id, { limit, where, ...before });
        const all = await tell(rows, grant.scope.workspace_id);
        const told = withinBytes(all);
        const more = has_more || told.length < all.length;
        const last = told.at(-1)?.row;
        const next_cursor = more && last !== undefined ? cursors.seal(scope, String(last.seq)) : null;
        const items = told.map(({ envelope }) => envelope);
        return { items, next_cursor, prev_cursor: null, has_more: next_cursor !== null };
      },
    },
  };
}

/** Ids from outside may repeat: the run means its own event, then one of its conversation, then the newest. */
function meant(rows: readonly EventRow[], run: ActiveRun): EventRow | null {
  const own = rows.filter(({ session_id }) => session_id === run.session_id);
  return own.find(({ turn_id }) => turn_id === run.turn_id) ?? own[0] ?? rows[0] ?? null;
}

/** The event that started a run is the run's own. */
async function targetOf(row: EventRow, run: ActiveRun, reach: ConversationReach): Promise<CallTarget | null> {
  const workspace_id = await reach.workspaceOf(row.session_id);
  if (workspace_id === null) return null;
  const { session_id: conversation_id, turn_id, thread_id, bot_id, actor_id } = row;
  const isOfRun = conversation_id === run.session_id && turn_id === run.turn_id;
  const run_id = isOfRun ? run.run_id : row.run_id;
  return { workspace_id, conversation_id, thread_id, bot_id, actor_id, run_id };
}

function cursorScope({ scope }: Grant, conversation_id: string): CursorScope {
  const thread_id = conversation_id === scope.conversation_id ? scope.thread_id : null;
  return { family: 'events', workspace_id: scope.workspace_id, conversation_id, thread_id };
}

/** As many as weigh no more than a page; one in any case. */
function withinBytes(told: readonly Told[]): Told[] {
  let bytes = 0;
  const end = told.findIndex(({ envelope }) => {
    bytes += utf8Length(JSON.stringify(envelope));
    return bytes > limits.page_bytes;
  });
  return end === -1 ? [...told] : told.slice(0, Math.max(end, 1));
}
