import { z } from 'zod';

/**
 * What the log tells beside its inputs, which keep the types of their own events (CX-4.9): tool calls, the ends of runs
 * that went wrong, questions, handovers and members.
 */
export const SessionEventType = z.enum([
  'tool.call.started',
  'tool.call.completed',
  'run.failed',
  'run.cancelled',
  'interaction.requested',
  'interaction.resolved',
  'session.handover',
  'session.handover_resolved',
  'session.agent_added',
  'session.agent_removed',
  'session.agent_changed',
  'session.opened',
  'session.closed',
]);
export type SessionEventType = z.infer<typeof SessionEventType>;
