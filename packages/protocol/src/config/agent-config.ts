import { z } from 'zod';
import { AgentPolicy } from '../session/roster.ts';
import { JsonObject } from '../wire/json.ts';

/** How much of the machine a runner's process may see. */
export const IsolationLevel = z.enum(['trusted', 'confined', 'strict']);
export type IsolationLevel = z.infer<typeof IsolationLevel>;

/** Which runs share a process: all of a workspace, those of one session, none. */
export const ProcessSharing = z.enum(['shared', 'session', 'run']);
export type ProcessSharing = z.infer<typeof ProcessSharing>;

/** What a state policy may open: each scope needs the identity it is named after. */
export const StateScope = z.enum(['conversation', 'actor', 'subject', 'runner', 'binding']);
export type StateScope = z.infer<typeof StateScope>;

/**
 * What the host decides about an agent beyond what its session sees: one side of every grant. A list that is left out
 * grants what the runner's manifest asks for; an empty list grants nothing.
 */
export const AgentGrants = z.object({
  models: z.array(z.string()).optional(),
  tools: z.array(z.string()).optional(),
  knowledge_bases: z.array(z.string()).optional(),
  history: z.array(z.enum(['page', 'search'])).optional(),
  events: z.array(z.enum(['get', 'page'])).optional(),
  artifacts: z.array(z.enum(['metadata', 'read'])).optional(),
  storage: z.array(z.enum(['plugin', 'workspace', 'binding'])).optional(),
  interactions: z.array(z.string()).optional(),
  files: z.array(z.string()).optional(),
  platform_api: z.array(z.string()).optional(),
  state_scopes: z.array(StateScope).default([...StateScope.options]),
  history_scope: z.enum(['conversation', 'actor', 'bot', 'workspace']).default('conversation'),
  /** Agents that it may hand over to; everybody in the roster unless told. */
  handover_to: z.array(z.string()).optional(),
});
export type AgentGrants = z.infer<typeof AgentGrants>;

/** Whether earlier messages are inlined for runners that do not pull them; off unless manifest and agent ask for it. */
export const AgentBootstrap = z.object({
  mode: z.enum(['none', 'current_event', 'recent_tail', 'summary_tail']).default('current_event'),
  max_events: z.number().int().nonnegative().default(0),
  max_bytes: z.number().int().nonnegative().default(0),
});
export type AgentBootstrap = z.infer<typeof AgentBootstrap>;

/** An agent as a person describes it, in the file or at run time. */
export const AgentConfig = z.object({
  runner: z.string().min(1).max(256),
  config: JsonObject.default({}),
  label: z.string().max(200).optional(),
  policy: AgentPolicy.prefault({}),
  processes: ProcessSharing.optional(),
  grants: AgentGrants.prefault({}),
  bootstrap: AgentBootstrap.prefault({}),
});
export type AgentConfig = z.infer<typeof AgentConfig>;
