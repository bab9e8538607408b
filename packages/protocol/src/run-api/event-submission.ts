import { z } from 'zod';
import {
  ActorContext,
  AgentEventContext,
  ConversationContext,
  DeliveryContext,
  SubjectContext,
} from '../runner/run-context.ts';
import { AgentInput } from '../session/input.ts';
import { Json } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';

const name = z.string().max(limits.event_name_chars).nullable().default(null);

/** The body of `POST /api/v1/events`: an AgentEventEnvelope, and what its platform sent beside it. */
export const EventSubmission = z.strictObject({
  event: AgentEventContext.extend({
    event_id: z.string().min(1).max(limits.event_id_chars),
    event_type: z.string().min(1).max(limits.event_type_chars),
    source: z.string().min(1).max(limits.event_type_chars),
    source_event_type: name,
    raw_ref: z.null().default(null),
  }).strict(),
  conversation: ConversationContext.extend({
    conversation_id: name,
    thread_id: name,
    launcher_type: name,
    launcher_id: name,
    bot_id: name,
  })
    .strict()
    .nullable()
    .default(null),
  actor: ActorContext.extend({
    actor_type: z.string().min(1).max(limits.event_type_chars),
    actor_id: name,
    actor_name: name,
  })
    .strict()
    .nullable()
    .default(null),
  subject: SubjectContext.extend({ subject_type: z.string().min(1).max(limits.event_type_chars), subject_id: name })
    .strict()
    .nullable()
    .default(null),
  input: AgentInput.strict().nullable().default(null),
  delivery: DeliveryContext.strict().nullable().default(null),
  /** The payload as the platform sent it: kept as an artifact, never inlined. */
  raw: Json.optional(),
});
export type EventSubmission = z.infer<typeof EventSubmission>;

/** The answer to an event that was taken. `task_id` names its turn as the run API does. */
export const EventAccepted = z.object({
  event_id: z.string(),
  session_id: z.string(),
  task_id: z.string(),
  agent_id: z.string(),
  created: z.string(),
});
export type EventAccepted = z.infer<typeof EventAccepted>;
