import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';
import { BudgetNotice } from './budget.ts';
import { InteractionPurpose } from './input.ts';
import { AgentMember } from './roster.ts';

const turnEnd = { agent_id: z.string(), run_id: z.string().nullable() };

/** EVENT payloads, by subtype: what the session tells frontends. STREAM_STOPPED alone comes from an agent. */
export const EventPayloads = {
  TURN_ACCEPTED: z.object({
    agent_id: z.string(),
    state: z.enum(['dispatched', 'queued', 'steering', 'adding_agent']),
    parent_turn_id: z.string().nullable(),
    client_run_id: z.string().nullable(),
  }),
  TURN_DISPATCHED: z.object({ agent_id: z.string(), run_id: z.string(), client_run_id: z.string().nullable() }),
  /** The run was lost with its host; the next attempt goes on in the same message. */
  TURN_RESUMED: z.object({ agent_id: z.string(), run_id: z.string(), attempt: z.number().int().min(2) }),
  AGENT_STARTED: z.object({ agent_id: z.string(), run_id: z.string() }),
  TURN_COMPLETED: z.object({ ...turnEnd, steered_into: z.string().optional(), usage: Json.optional() }),
  TURN_FAILED: z.object({ ...turnEnd, code: z.string(), message: z.string(), retryable: z.boolean() }),
  CANCELED: z.object({ ...turnEnd, forced: z.boolean(), reason: z.string() }),
  CANCEL_SENT: z.object({ agent_id: z.string() }),
  NO_ACTIVE_SPEAKING: z.object({ ref: z.string() }),
  STREAM_STOPPED: z.object({}),

  ACTIVE_AGENT_CHANGED: z.object({ from: z.string().nullable(), to: z.string().nullable() }),
  ADDING_AGENT: z.object({ agent_id: z.string() }),
  AGENT_ADDED: z.object({ agent: AgentMember, existing: z.boolean() }),
  AGENT_REMOVING: z.object({ agent_id: z.string(), attempt: z.number().int().positive() }),
  AGENT_REMOVED_LOCAL: z.object({ agent_id: z.string() }),
  AGENT_REMOVED: z.object({ agent_id: z.string() }),

  SESSION_OPENED: z.object({
    agents: z.array(AgentMember),
    active_agent_id: z.string().nullable(),
    existing: z.boolean(),
  }),
  SESSION_CLOSED: z.object({ existing: z.boolean() }),

  /** Most of what the agent may use is used. */
  BUDGET_NOTICE: BudgetNotice.extend({ agent_id: z.string(), run_id: z.string() }),

  INTERACTION_OPENED: z.object({
    interaction_id: z.string(),
    purpose: InteractionPurpose.default('question'),
    kind: z.string().default('form'),
    agent_id: z.string(),
    run_id: z.string().nullable(),
    until: z.number(),
    request: Json,
  }),
  INTERACTION_RESOLVED: z.object({
    interaction_id: z.string(),
    outcome: z.enum(['answered', 'expired', 'run_ended', 'run_lost']),
    answer: z.object({ action_id: z.string(), values: JsonObject }).nullable().default(null),
    answered_by: z.string().nullable().default(null),
    /** The AG-UI run that the answer began: what follows belongs to it. */
    client_run_id: z.string().optional(),
  }),
};
