import { z } from 'zod';
import { limits } from '../../wire/limits.ts';
import { AuditItem } from '../audit-api.ts';
import { HostStatusAnswer } from '../host-status.ts';
import { operation, PageQuery, pageOf } from '../operation.ts';
import { RunnerItem, RunnerLines } from '../runner-api.ts';
import { ChangedSettings, SettingChanges, SettingItem } from '../setting.ts';
import { UsageDimension, UsageReport } from '../usage.ts';

const tag = 'Management';
const time = z.iso.datetime({ offset: true });
const span = {
  from: time.optional().describe('Not before this time.'),
  to: time.optional().describe('Before this time.'),
};
const dimension = UsageDimension.options.join('|');

/** What whoever runs the host looks at and changes. */
export const managementOperations = {
  getStatus: operation({
    id: 'getStatus',
    method: 'GET',
    path: '/api/v1/status',
    scope: 'admin',
    tag,
    summary: 'How the host is',
    answers: { 200: HostStatusAnswer },
    refusals: [],
  }),
  listRunners: operation({
    id: 'listRunners',
    method: 'GET',
    path: '/api/v1/runners',
    scope: 'admin',
    tag,
    summary: 'Runner packages and how they are',
    answers: { 200: pageOf(RunnerItem) },
    refusals: [],
  }),
  readRunnerLog: operation({
    id: 'readRunnerLog',
    method: 'GET',
    path: '/api/v1/runners/{runnerId}/logs',
    scope: 'admin',
    tag,
    summary: 'The last lines of a runner',
    description: 'What it printed and what the host had to say of it, without the secrets that the host knows.',
    query: z.object({
      limit: z.coerce
        .number()
        .int()
        .min(1)
        .max(limits.runner_lines)
        .optional()
        .describe('At most this many, the newest ones; 100 unless told.'),
    }),
    answers: { 200: RunnerLines },
    refusals: [404, 422],
  }),
  restartRunner: operation({
    id: 'restartRunner',
    method: 'POST',
    path: '/api/v1/runners/{runnerId}/restart',
    scope: 'admin',
    tag,
    summary: 'Gives a runner new processes',
    description: 'Live runs end where they are; new ones get a fresh process. It also ends a quarantine.',
    answers: { 202: RunnerItem },
    refusals: [404, 409],
  }),
  listSettings: operation({
    id: 'listSettings',
    method: 'GET',
    path: '/api/v1/settings',
    scope: 'admin',
    tag,
    summary: 'Every value of the configuration and where it comes from',
    answers: { 200: pageOf(SettingItem) },
    refusals: [],
  }),
  changeSettings: operation({
    id: 'changeSettings',
    method: 'PATCH',
    path: '/api/v1/settings',
    scope: 'admin',
    tag,
    summary: 'Changes settings while the host runs',
    description:
      'New runs and sessions see them. What the file, a variable or an option names can only be changed there.',
    body: SettingChanges,
    answers: { 200: ChangedSettings },
    refusals: [413, 415, 422],
  }),
  getUsage: operation({
    id: 'getUsage',
    method: 'GET',
    path: '/api/v1/usage',
    scope: 'admin',
    tag,
    summary: 'What runs used, from the ledger',
    query: z.object({
      by: z
        .string()
        .regex(
          new RegExp(`^(?:${dimension})(?:,(?:${dimension}))*$`),
          `must be some of ${UsageDimension.options.join(',')}`,
        )
        .optional()
        .describe('`agent`, `model`, `day`, separated by commas; the total alone unless told.'),
      ...span,
    }),
    answers: { 200: UsageReport },
    refusals: [422],
  }),
  listAudit: operation({
    id: 'listAudit',
    method: 'GET',
    path: '/api/v1/audit',
    scope: 'admin',
    tag,
    summary: 'Who did what, the newest first',
    query: PageQuery.extend({
      sessionId: z.string().max(128).optional(),
      runId: z.string().max(128).optional(),
      actor: z.string().max(256).optional(),
      action: z.string().max(128).optional(),
      result: z.string().max(64).optional(),
      ...span,
    }),
    answers: { 200: pageOf(AuditItem) },
    refusals: [422],
  }),
};
