import { createHash } from 'node:crypto';
import type { Call, CallTarget } from '@rostra/kernel/grant/check-call';
import type { AgentRun, RunsApi } from '@rostra/protocol/api/runs';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { ActiveRun } from '../../orchestrator/run-charter.ts';
import type { CursorScope, Cursors } from '../../store/cursor.ts';
import type { RunRow, RunStore } from '../../store/ports/run.ts';
import type { ApiFamily } from '../api-family.ts';
import type { ResultPlace, RunResults } from '../run-results.ts';

export interface RunsDeps {
  readonly runs: Pick<RunStore, 'get' | 'page'>;
  readonly results: RunResults;
  readonly cursors: Pick<Cursors, 'seal' | 'open'>;
  readonly sessions: { cancelRun(run: ActiveRun, target_run_id: string, reason?: string): Promise<void> };
}

type Named = Extract<Call, { family: 'runs'; operation: 'get' | 'events_page' | 'cancel' }>['operation'];

/** Runs of the caller's own conversation, live or over, as the ledger and the log have them. */
export function runsFamily(deps: RunsDeps): ApiFamily<keyof typeof RunsApi> {
  const { runs, results, cursors, sessions } = deps;

  const asks =
    (operation: Named) =>
    async ({ target_run_id }: { target_run_id: string }, run: ActiveRun): Promise<Call> => {
      const row = await runs.get(target_run_id);
      return { family: 'runs', operation, target: row === null ? null : targetOf(row, run) };
    };

  /** Whoever gets here was told that it is there; its session may have been deleted since. */
  const rowOf = async (target_run_id: string): Promise<RunRow> => {
    const row = await runs.get(target_run_id);
    if (row === null) throw new ApiError('not_found', 'There is no such run in the scope of this run.');
    return row;
  };

  return {
    'runs.get': {
      asks: asks('get'),
      serve: async ({ target_run_id }) => agentRun(await rowOf(target_run_id)),
    },

    'runs.list': {
      asks: ({ conversation_id }, run) => {
        const { scope } = run.charter.grant;
        if (conversation_id === null || conversation_id === scope.conversation_id) {
          return { family: 'runs', operation: 'list' };
        }
        return { family: 'runs', operation: 'list', target: { ...scope, conversation_id } };
      },
      async serve({ statuses, before_cursor, limit }, run) {
        const scope = cursorScope(run);
        const { bot_id, thread_id } = run.charter.grant.scope;
        const before = before_cursor === null ? {} : { before: opened(cursors.open(scope, before_cursor), 'list') };
        const page = { statuses, place: { bot_id, thread_id }, limit, ...before };
        const { rows, has_more } = await runs.page(run.session_id, page);
        const last = rows.at(-1);
        const next_cursor = !has_more || last === undefined ? null : cursors.seal(scope, `list:${last.run_id}`);
        return { items: rows.map(agentRun), next_cursor, prev_cursor: null, has_more };
      },
    },

    'runs.events_page': {
      asks: asks('events_page'),
      async serve({ target_run_id, before_cursor, after_cursor, limit }, run) {
        const row = await rowOf(target_run_id);
        const scope = cursorScope(run);
        const list = listOf(target_run_id);
        const place = (cursor: string) => placeOf(opened(cursors.open(scope, cursor), list));
        const { items, more } =
          before_cursor === null
            ? await results.after(row, after_cursor === null ? null : place(after_cursor), limit)
            : await results.before(row, place(before_cursor), limit);
        const seal = (at: ResultPlace | undefined) =>
          at === undefined ? null : cursors.seal(scope, `${list}:${at.seq}.${at.piece}`);
        return {
          items: items.map(({ result }) => result),
          next_cursor: seal(items.at(-1)) ?? after_cursor,
          prev_cursor: seal(items[0]),
          has_more: more,
        };
      },
    },

    'runs.cancel': {
      asks: asks('cancel'),
      async serve({ target_run_id, reason }, run) {
        await sessions.cancelRun(run, target_run_id, reason);
        return agentRun(await rowOf(target_run_id));
      },
    },
  };
}

/** A run of another session has another conversation: whose workspace that is does not matter any more. */
function targetOf({ session_id, bot_id, thread_id, run_id }: RunRow, run: ActiveRun): CallTarget {
  const { workspace_id } = run.charter.grant.scope;
  return { workspace_id, bot_id, conversation_id: session_id, thread_id, actor_id: null, run_id };
}

function cursorScope(run: ActiveRun): CursorScope {
  const { workspace_id, conversation_id, thread_id } = run.charter.grant.scope;
  return { family: 'runs', workspace_id, conversation_id, thread_id };
}

/** The list of one run's results. */
function listOf(run_id: string): string {
  return createHash('sha256').update(run_id).digest('hex').slice(0, 16);
}

/** What a cursor of this list says; one of another list is as good as forged. */
function opened(position: string, list: string): string {
  const prefix = `${list}:`;
  if (!position.startsWith(prefix)) throw new ApiError('invalid_argument', 'This cursor is not one of this list.');
  return position.slice(prefix.length);
}

function placeOf(position: string): ResultPlace {
  const [seq, piece] = position.split('.');
  return { seq: Number(seq), piece: Number(piece) };
}

function seconds(at: number | null): number | null {
  return at === null ? null : Math.floor(at / 1000);
}

/** A row as runners see it, whose clocks count seconds. */
export function agentRun(row: RunRow): AgentRun {
  const { run_id, turn_id, session_id, agent_id, attempt, status, code, usage } = row;
  return {
    run_id,
    turn_id,
    session_id,
    agent_id,
    attempt,
    status,
    created_at: Math.floor(row.created_at / 1000),
    started_at: seconds(row.started_at),
    ended_at: seconds(row.ended_at),
    code,
    usage,
  };
}
