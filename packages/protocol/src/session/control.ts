import { z } from 'zod';
import { AgentAPIError } from '../wire/api-error.ts';
import { JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { BudgetNotice } from './budget.ts';
import { InteractionPurpose, Resume } from './input.ts';
import { AgentMember, AgentPolicy, AgentPreferences, SessionSettings } from './roster.ts';

const agentId = z.string().min(1).max(128);
const reason = z.string().max(limits.handover_text_bytes).optional();
const attempt = z.number().int().positive();
const none = z.object({});
/** An answer that begins a run of an AG-UI client: the client's name for the run, and what the name stands for. */
const answering = { client_run_id: z.string().optional(), payload_hash: z.string().optional() };

/** CONTROL payloads, by subtype. Who may send which is decided in the kernel by the stamped sender. */
export const ControlPayloads = {
  // from a frontend
  CANCEL: z.object({ turn_id: z.string().optional(), reason }),
  INTERRUPT: z.object({ turn_id: z.string().optional(), reason }),
  INVITE_AGENT: z.object({
    agent_id: agentId,
    activate: z.boolean().optional(),
    preferences: AgentPreferences.optional(),
  }),
  REMOVE_AGENT: z.object({ agent_id: agentId, reason }),
  HANDOVER_CONFIRM: z.object(answering),
  HANDOVER_REJECT: z.object({ reason, ...answering }),
  SESSION_OPEN: z.object({
    agents: z.array(agentId).max(limits.roster).optional(),
    active_agent_id: agentId.optional(),
  }),
  SESSION_CLOSE: z.object({ reason }),
  INTERACTION_ANSWERED: z.object({
    interaction_id: z.string(),
    action_id: z.string(),
    values: JsonObject.default({}),
    ...answering,
  }),

  // from a frontend as a request {agent_id}, by the session as a fact {from, to}
  SWITCH_AGENT: z.object({
    agent_id: agentId.optional(),
    force: z.boolean().optional(),
    from: agentId.nullable().optional(),
    to: agentId.nullable().optional(),
    reason: z.enum(['default', 'mention', 'request', 'handover', 'fallback', 'invite', 'open', 'close']).optional(),
    trigger: z.string().optional(),
  }),

  // from an agent
  INPUT_ACK: none,
  CANCEL_ACK: z.object({ text: z.string().optional(), usage: JsonObject.optional() }),
  HANDOVER_ACCEPTED: none,
  HANDOVER_REQUEST: z.object({
    target_agent_id: agentId,
    reason: z.string().max(limits.handover_text_bytes).default(''),
    summary: z.string().max(limits.handover_text_bytes).default(''),
  }),
  INTERACTION_REQUESTED: z.object({
    interaction_id: z.string().min(1).max(128),
    purpose: InteractionPurpose.default('question'),
    kind: z.string().min(1).max(32).default('form'),
    expires_in: z.number().int().positive().optional(),
    request: JsonObject.default({}),
  }),
  CANCEL_REQUEST: z.object({ run_id: z.string(), reason }),
  BUDGET_NOTICE: BudgetNotice,
  STEERING_PULLED: z.object({ turn_ids: z.array(z.string()).max(limits.steering) }),
  RUN_ALIVE: none,
  /** What a cancel came to, told by the orchestrator in the name of the run: a fact for the log, shown to nobody. */
  CANCEL_REPORT: z.object({
    run_id: z.string(),
    requested_at: z.number(),
    outcome: z.enum(['acknowledged', 'forced']),
    process: z.enum(['kept', 'drained', 'killed']),
    children_killed: z.number().int().nonnegative(),
  }),

  // from the SessionManager
  ADD_AGENT_DONE: AgentMember,
  ADD_AGENT_FAILED: z.object({ error: AgentAPIError }),
  REMOVE_AGENT_DONE: z.object({ agent_id: agentId, attempt }),
  REMOVE_AGENT_FAILED: z.object({ agent_id: agentId, attempt, error: AgentAPIError }),
  SESSION_OPENED: z.object({ agents: z.array(AgentMember).max(limits.roster), active_agent_id: agentId.nullable() }),
  SESSION_CLOSED: none,
  SESSION_FAILED: z.object({ error: AgentAPIError }),

  // from the driver
  SESSION_CREATED: z.object({ workspace_id: z.string(), owner_id: z.string(), settings: SessionSettings }),
  SESSION_RECOVERED: z.object({ epoch: z.number().int().positive() }),
  SESSION_QUARANTINED: z.object({ poisoned: z.number().int().positive() }),

  // from the session, to an agent, the orchestrator or the SessionManager
  HANDOVER_CONTEXT: z.object({
    from_agent_id: agentId,
    reason: z.string(),
    summary: z.string(),
    output: z.string(),
    /** Where the turn that hands over belongs, and the binding that took its event: the next one has both from it. */
    conversation: z.object({ bot_id: z.string().nullable(), thread_id: z.string().nullable() }).optional(),
    binding_id: z.string().optional(),
    resume: Resume.optional(),
  }),
  HANDOVER_REJECTED: z.object({ target_agent_id: agentId, reason: z.string() }),
  /** `refused`: it was never put, because too many are open. */
  INTERACTION_EXPIRED: z.object({ interaction_id: z.string(), refused: z.boolean().optional() }),
  REQUEST_TERMINATE_RUN: z.object({ run_id: z.string() }),
  /** `had`: the policy with which the agent left this session before. */
  REQUEST_ADD_AGENT: z.object({
    agent_id: agentId,
    preferences: AgentPreferences.optional(),
    had: AgentPolicy.optional(),
  }),
  REQUEST_REMOVE_AGENT: z.object({ agent_id: agentId, reason: z.string(), attempt }),
  REQUEST_SESSION_OPEN: z.object({ agents: z.array(agentId).nullable(), active_agent_id: agentId.nullable() }),
  REQUEST_SESSION_CLOSE: z.object({ reason: z.string() }),

  // from the session, to frontends
  HANDOVER_UI_PROMPT: z.object({
    from_agent_id: agentId,
    target_agent_id: agentId,
    reason: z.string(),
    summary: z.string(),
    output: z.string(),
    until: z.number(),
  }),
  HANDOVER_RESOLVED: z.object({
    outcome: z.enum(['confirmed', 'rejected', 'timeout', 'aborted']),
    from_agent_id: agentId,
    target_agent_id: agentId,
    answered_by: z.string().nullable().default(null),
  }),
};
