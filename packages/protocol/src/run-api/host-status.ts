import { z } from 'zod';

const count = z.number().int().nonnegative();

/** How a host is: what an operator wants to know first. */
export const HostStatusAnswer = z.object({
  version: z.string(),
  node: z.string().describe('The version of Node.'),
  platform: z.string(),
  pid: z.number().int(),
  startedAt: z.iso.datetime(),
  uptimeSeconds: z.number().nonnegative(),
  memoryBytes: count,
  isReady: z.boolean(),
  missing: z.array(z.string()).describe('What must come before a run can be answered.'),
  notes: z.array(z.string()).describe('What whoever operates the host should know although it serves.'),
  sessions: z.object({ inMemory: count, liveTurns: count, waitingMessages: count }),
  streams: count,
  agents: z.array(z.string()).describe('The default roster.'),
  runners: z.record(z.string(), count).describe('Runner packages by state.'),
  store: z.object({
    state: z.enum(['sound', 'unchecked', 'checking', 'damaged']),
    problems: z.array(z.string()),
    damagedSessions: z.array(z.string()),
    commits: count,
    flushes: count,
  }),
  limits: z.object({
    runsPerProcess: count,
    sessionsInMemory: count,
    artifactBytes: count,
    streams: count,
  }),
});
export type HostStatusAnswer = z.infer<typeof HostStatusAnswer>;
