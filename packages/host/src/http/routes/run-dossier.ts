import type { LogRecord } from '@rostra/protocol/record/record';
import { runDossierOperations as operations } from '@rostra/protocol/run-api/operations/run-dossier';
import { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { Principal } from '../../session/session-gateway.ts';
import type { TurnRow } from '../../store/port.ts';
import type { RunRow, RunStore } from '../../store/ports/run.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { HttpError } from '../errors.ts';
import type { LogSource, RunGateway } from '../ports.ts';
import { findTask } from '../task-response.ts';
import { type AuditTrailReader, auditPage, noCursor } from './management.ts';

interface Dossier {
  readonly context: JsonObject;
  readonly grant: JsonObject;
}

export interface DossierDeps {
  readonly gateway: Pick<RunGateway, 'findTurn'>;
  readonly runs: Pick<RunStore, 'ofTurn'>;
  /** What is kept of a run, also while it is on its way to the store. */
  readonly dossiers: { get(run_id: string): Promise<Dossier | null> };
  readonly log: Pick<LogSource, 'readAfter'>;
  readonly audit: AuditTrailReader;
}

function notKept(): HttpError {
  return new HttpError(404, 'not_found', 'this is not kept of the run', {
    details: { hint: 'It is kept from the moment a runner has the run, and as long as its audit (retention.audit).' },
  });
}

/** The attempt that was asked for: the last one unless told. */
async function attemptOf({ runs }: DossierDeps, turn: TurnRow, attempt: number | undefined): Promise<RunRow> {
  const rows = await runs.ofTurn(turn.turn_id);
  const found = attempt === undefined ? rows.at(-1) : rows.find((row) => row.attempt === attempt);
  if (found === undefined) throw notKept();
  return found;
}

async function entryOf(deps: DossierDeps, row: RunRow): Promise<Dossier> {
  const entry = await deps.dossiers.get(row.run_id);
  if (entry === null) throw notKept();
  return entry;
}

/** What the owner of the agent configured is nothing to whoever talks to it. */
function contextFor({ is_admin = false }: Principal, context: JsonObject): JsonObject {
  return is_admin ? context : { ...context, config: {} };
}

/** One that comes from memory may have fields that nothing stands in; in the log it has none. */
function asWritten(record: LogRecord): JsonObject {
  return JsonObject.parse(JSON.parse(JSON.stringify(record)));
}

/** A page of the records of one turn; the log is read from where the turn began, or where the page before ended. */
async function recordsOf({ log }: DossierDeps, turn: TurnRow, after: number, limit: number) {
  const items: JsonObject[] = [];
  let seq = after;
  for (;;) {
    const records = await log.readAfter(turn.session_id, seq);
    for (const record of records) {
      seq = record.seq;
      if (record.turn_id !== turn.turn_id) continue;
      if (items.length === limit) return { items, nextCursor: String(Number(items.at(-1)?.seq)) };
      items.push(asWritten(record));
    }
    const isOver = records.length === 0 || items.some(isEnd);
    if (isOver) return { items, nextCursor: null };
  }
}

function isEnd({ event, subtype }: JsonObject): boolean {
  return event === 'EVENT' && (subtype === 'TURN_COMPLETED' || subtype === 'TURN_FAILED' || subtype === 'CANCELED');
}

export function runDossierRoutes(deps: DossierDeps): ApiRoute[] {
  return [
    route(operations.getRunContext, async ({ principal, params, query }) => {
      const { taskId } = params;
      const row = await attemptOf(deps, await findTask(deps.gateway, taskId, principal), query.attempt);
      const context = contextFor(principal, (await entryOf(deps, row)).context);
      return { status: 200, body: { taskId, runId: row.run_id, attempt: row.attempt, context } };
    }),
    route(operations.getRunGrant, async ({ principal, params, query }) => {
      const { taskId } = params;
      const row = await attemptOf(deps, await findTask(deps.gateway, taskId, principal), query.attempt);
      const { grant } = await entryOf(deps, row);
      return { status: 200, body: { taskId, runId: row.run_id, attempt: row.attempt, grant } };
    }),
    route(operations.listRunRecords, async ({ principal, params, query }) => {
      const { cursor, limit = limits.page_items_default } = query;
      if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw noCursor();
      const turn = await findTask(deps.gateway, params.taskId, principal);
      const after = cursor === undefined ? turn.first_seq - 1 : Number(cursor);
      return { status: 200, body: await recordsOf(deps, turn, after, Math.min(limit, limits.page_items)) };
    }),
    route(operations.listRunAudit, async ({ principal, params, query }) => {
      const row = await attemptOf(deps, await findTask(deps.gateway, params.taskId, principal), query.attempt);
      const filter = { workspace_id: principal.workspace_id, run_id: row.run_id };
      return { status: 200, body: await auditPage(deps.audit, filter, query) };
    }),
  ];
}
