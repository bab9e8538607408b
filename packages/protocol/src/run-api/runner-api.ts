import { z } from 'zod';
import { IsolationLevel, ProcessSharing } from '../config/agent-config.ts';
import { AgentRunnerManifest } from '../runner/manifest.ts';

/** One runner of a package. */
const OfferedRunner = z.object({
  id: z.string(),
  name: z.string(),
  label: AgentRunnerManifest.shape.label,
  description: AgentRunnerManifest.shape.label.nullable(),
  capabilities: z.record(z.string(), z.boolean()),
  configForm: AgentRunnerManifest.shape.config_schema.describe('What an agent on it can be told: items of a form.'),
});

/** A runner package as an operator sees it. */
export const RunnerItem = z.object({
  id: z.string().describe('The name of the package.'),
  origin: z.enum(['path', 'package', 'command', 'remote', 'official']),
  source: z.string().describe('The folder, package or command that it comes from.'),
  isEnabled: z.boolean(),
  isolation: IsolationLevel.nullable(),
  processes: ProcessSharing,
  state: z.enum(['ready', 'starting', 'stopped', 'quarantined']),
  pids: z.array(z.number().int()),
  runs: z.number().int().describe('Runs that are in it now.'),
  restarts: z.number().int(),
  runners: z.array(OfferedRunner),
  reason: z.string().nullable().describe('Why it is not ready, in one sentence.'),
});
export type RunnerItem = z.infer<typeof RunnerItem>;

/** What a runner printed, or what the host had to say of it. */
export const RunnerLine = z.object({
  n: z.number().int().describe('Counts the lines of this runner since the host started.'),
  at: z.iso.datetime(),
  kind: z.enum(['stdout', 'stderr', 'warning']),
  text: z.string(),
});
export type RunnerLine = z.infer<typeof RunnerLine>;

/** The oldest line first. Only the last lines are kept, in memory. */
export const RunnerLines = z.object({
  items: z.array(RunnerLine),
  omitted: z.number().int().describe('Earlier lines that are not kept any more.'),
});
export type RunnerLines = z.infer<typeof RunnerLines>;
