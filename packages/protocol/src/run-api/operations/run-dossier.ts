import { z } from 'zod';
import { AuditItem } from '../audit-api.ts';
import { operation, PageQuery, pageOf } from '../operation.ts';
import { RunContextAnswer, RunGrantAnswer, RunRecord } from '../run-dossier.ts';

const tag = 'Runs';
const attempt = {
  attempt: z.coerce.number().int().min(1).max(1000).optional().describe('Which attempt; the last one unless told.'),
};

/** What a runner received, might touch and did. */
export const runDossierOperations = {
  getRunContext: operation({
    id: 'getRunContext',
    method: 'GET',
    path: '/api/v1/agent/runs/{taskId}/context',
    scope: 'runs',
    tag,
    summary: 'What the runner received',
    query: z.object(attempt),
    answers: { 200: RunContextAnswer },
    refusals: [404, 422],
  }),
  getRunGrant: operation({
    id: 'getRunGrant',
    method: 'GET',
    path: '/api/v1/agent/runs/{taskId}/grant',
    scope: 'runs',
    tag,
    summary: 'What the run might touch',
    query: z.object(attempt),
    answers: { 200: RunGrantAnswer },
    refusals: [404, 422],
  }),
  listRunRecords: operation({
    id: 'listRunRecords',
    method: 'GET',
    path: '/api/v1/agent/runs/{taskId}/records',
    scope: 'runs',
    tag,
    summary: 'The task’s records in the log, the oldest first',
    query: PageQuery,
    answers: { 200: pageOf(RunRecord) },
    refusals: [404, 422],
  }),
  listRunAudit: operation({
    id: 'listRunAudit',
    method: 'GET',
    path: '/api/v1/agent/runs/{taskId}/audit',
    scope: 'runs',
    tag,
    summary: 'What the run did through the host, the newest first',
    query: PageQuery.extend(attempt),
    answers: { 200: pageOf(AuditItem) },
    refusals: [404, 422],
  }),
};
