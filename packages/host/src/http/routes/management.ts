import type { AuditItem } from '@rostra/protocol/run-api/audit-api';
import type { HostStatusAnswer } from '@rostra/protocol/run-api/host-status';
import { managementOperations as operations } from '@rostra/protocol/run-api/operations/management';
import type { RunnerItem, RunnerLines } from '@rostra/protocol/run-api/runner-api';
import type { ChangedSettings, SettingChanges, SettingItem } from '@rostra/protocol/run-api/setting';
import { UsageDimension, type UsageReport } from '@rostra/protocol/run-api/usage';
import { limits } from '@rostra/protocol/wire/limits';
import type { Principal } from '../../session/session-gateway.ts';
import type { AuditFilter, AuditRow, AuditStore } from '../../store/ports/audit.ts';
import { type ApiRoute, route } from '../api-route.ts';
import { HttpError } from '../errors.ts';

/** Runner packages as HTTP manages them. */
export interface RunnerDesk {
  list(): RunnerItem[];
  lines(runner_id: string, count: number): RunnerLines;
  restart(runner_id: string, by: Principal): RunnerItem;
}

export interface SettingDesk {
  list(): SettingItem[];
  change(changes: SettingChanges, by: Principal): Promise<ChangedSettings>;
}

export interface UsageBook {
  report(
    span: { workspace_id: string; since: number; until: number },
    by: readonly UsageDimension[],
  ): Promise<UsageReport>;
}

export interface ManagementDeps {
  readonly runners: RunnerDesk;
  readonly settings: SettingDesk;
  readonly usage: UsageBook;
  readonly audit: AuditTrailReader;
  readonly now: () => number;
  status(): Promise<HostStatusAnswer>;
}

/** The audit with what is still on its way to the store. */
export interface AuditTrailReader extends Pick<AuditStore, 'page'> {
  /** Resolves when all that was done so far can be read. */
  flush(): Promise<void>;
}

const DAY = 24 * 60 * 60_000;
const DAYS_DEFAULT = 30;
const LINES_DEFAULT = 100;

export function auditItem(row: AuditRow): AuditItem {
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    actor: row.actor,
    action: row.action,
    result: row.result,
    resource: row.resource,
    scope: row.scope,
    sessionId: row.session_id,
    runId: row.run_id,
    runnerId: row.runner_id,
    details: row.details,
  };
}

export async function auditPage(
  audit: AuditTrailReader,
  filter: AuditFilter,
  { cursor, limit }: { cursor?: string | undefined; limit?: number | undefined },
): Promise<{ items: AuditItem[]; nextCursor: string | null }> {
  if (cursor !== undefined && !/^\d{1,15}$/.test(cursor)) throw noCursor();
  if (cursor === undefined) await audit.flush();
  const { rows, has_more } = await audit.page(filter, {
    ...(cursor !== undefined && { before: Number(cursor) }),
    ...(limit !== undefined && { limit }),
  });
  const last = rows.at(-1);
  return { items: rows.map(auditItem), nextCursor: has_more && last !== undefined ? String(last.id) : null };
}

export function noCursor(): HttpError {
  return new HttpError(422, 'invalid_argument', 'cursor: this is no cursor of this list', {
    details: { in: 'query', path: 'cursor', hint: 'Give back `nextCursor` as it is.' },
  });
}

/** What is left out is the last 30 days until now. */
function spanOf(query: { from?: string | undefined; to?: string | undefined }, now: number) {
  const until = query.to === undefined ? now + 1 : Date.parse(query.to);
  const since = query.from === undefined ? until - DAYS_DEFAULT * DAY : Date.parse(query.from);
  if (since >= until || until - since > limits.usage_days * DAY) {
    throw new HttpError(422, 'invalid_argument', `from: must be before to, by at most ${limits.usage_days} days`, {
      details: { in: 'query', path: 'from', hint: 'Ask for a shorter time.' },
    });
  }
  return { since, until };
}

export function managementRoutes(deps: ManagementDeps): ApiRoute[] {
  const { runners, settings, usage, audit } = deps;
  return [
    route(operations.getStatus, async () => ({ status: 200, body: await deps.status() })),
    route(operations.listRunners, async () => ({ status: 200, body: { items: runners.list(), nextCursor: null } })),
    route(operations.readRunnerLog, async ({ params, query }) => ({
      status: 200,
      body: runners.lines(params.runnerId, query.limit ?? LINES_DEFAULT),
    })),
    route(operations.restartRunner, async ({ principal, params }) => ({
      status: 202,
      body: runners.restart(params.runnerId, principal),
    })),
    route(operations.listSettings, async () => ({ status: 200, body: { items: settings.list(), nextCursor: null } })),
    route(operations.changeSettings, async ({ principal, body }) => ({
      status: 200,
      body: await settings.change(body, principal),
    })),
    route(operations.getUsage, async ({ principal, query }) => {
      const by = UsageDimension.options.filter((dimension) => query.by?.split(',').includes(dimension));
      const span = { workspace_id: principal.workspace_id, ...spanOf(query, deps.now()) };
      return { status: 200, body: await usage.report(span, by) };
    }),
    route(operations.listAudit, async ({ principal, query }) => {
      const { sessionId, runId, actor, action, result, from, to } = query;
      const filter: AuditFilter = {
        workspace_id: principal.workspace_id,
        ...(sessionId !== undefined && { session_id: sessionId }),
        ...(runId !== undefined && { run_id: runId }),
        ...(actor !== undefined && { actor }),
        ...(action !== undefined && { action }),
        ...(result !== undefined && { result }),
        ...(from !== undefined && { since: Date.parse(from) }),
        ...(to !== undefined && { until: Date.parse(to) }),
      };
      return { status: 200, body: await auditPage(audit, filter, query) };
    }),
  ];
}
