import { z } from 'zod';

/** What happens to an input while a turn is dispatched (SR-D9). */
export const QueuePolicy = z.enum(['enqueue', 'reject', 'replace']);
export type QueuePolicy = z.infer<typeof QueuePolicy>;

/** The part of an AgentBinding that the session decides by; the rest (runner, config, grants) it never sees. */
export const AgentPolicy = z.object({
  queue: QueuePolicy.default('enqueue'),
  interruptible: z.boolean().default(true),
  steering: z.boolean().default(false),
  /** Its runner can take up a run that a restart cut off: filled from the manifest by whoever announces the agent. */
  resumable: z.boolean().default(false),
});
export type AgentPolicy = z.infer<typeof AgentPolicy>;

/** A member of a roster as the SessionManager announces it. */
export const AgentMember = z.object({ agent_id: z.string().min(1).max(128), policy: AgentPolicy });
export type AgentMember = z.infer<typeof AgentMember>;

/** What a person may set for one agent in one session; whether it can be resumed is its runner's to say. */
export const AgentPreferences = z.strictObject({
  queue: QueuePolicy.optional(),
  interruptible: z.boolean().optional(),
  steering: z.boolean().optional(),
});
export type AgentPreferences = z.infer<typeof AgentPreferences>;

const milliseconds = z.number().int().positive();

/** What a session was created with. It stays, so that its log replays the same way under another configuration. */
export const SessionSettings = z.object({
  default_agent_id: z.string().nullable(),
  auto_invite: z.boolean().default(false),
  timeouts: z.object({
    ack: milliseconds,
    cancel: milliseconds,
    idle: milliseconds,
    turn: milliseconds,
    add: milliseconds,
    remove: milliseconds,
    open: milliseconds,
    close: milliseconds,
    handover: milliseconds,
    queue: milliseconds,
    interaction: milliseconds,
    interaction_max: milliseconds,
  }),
});
export type SessionSettings = z.infer<typeof SessionSettings>;
