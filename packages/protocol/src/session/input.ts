import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';

/** A stored object that a message names instead of carrying it. */
export const ArtifactRef = z.object({
  artifact_id: z.string(),
  name: z.string().nullable(),
  mime_type: z.string(),
  size_bytes: z.number().int().nonnegative(),
  sha256: z.string().nullable(),
});
export type ArtifactRef = z.infer<typeof ArtifactRef>;

export const ContentElement = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), artifact: ArtifactRef.optional(), url: z.string().optional() }),
  z.object({ type: z.literal('file'), artifact: ArtifactRef }),
  z.object({ type: z.literal('audio'), artifact: ArtifactRef }),
]);
export type ContentElement = z.infer<typeof ContentElement>;

/** The main input of the current event; never history (RP-4.6). */
export const AgentInput = z.object({
  text: z.string().nullable().default(null),
  contents: z.array(ContentElement).default([]),
  attachments: z.array(ArtifactRef).default([]),
  message_chain: JsonObject.nullable().default(null),
});
export type AgentInput = z.infer<typeof AgentInput>;

/**
 * What is asked for: an answer, leave for an action, more of a budget, results of tools that the client itself runs. A
 * handover is asked by a message of its own.
 */
export const InteractionPurpose = z.enum(['question', 'approval', 'budget', 'client_tool']);
export type InteractionPurpose = z.infer<typeof InteractionPurpose>;

/** What a person answered; null when the question expired. */
export const InteractionAnswer = z.object({
  interaction_id: z.string(),
  action_id: z.string().nullable(),
  values: JsonObject,
});
export type InteractionAnswer = z.infer<typeof InteractionAnswer>;

/** What a further attempt at a turn goes on from: the runs before it were lost with the host that had them. */
export const Resume = z.object({
  attempt: z.number().int().min(2),
  /** All text that frontends were shown of the turn so far. */
  said: z.string(),
  /** The message that is still open: chunks of its channel go on in it, the first one with this number. */
  message_id: z.string().nullable(),
  channel: z.enum(['text', 'reasoning']).nullable(),
  next_chunk: z.number().int().nonnegative(),
  /** The answer that no run has acted upon yet. */
  interaction_answer: InteractionAnswer.optional(),
});
export type Resume = z.infer<typeof Resume>;

const name = z.string().nullable().default(null);

/** Names the artifact that holds what an event brought and is too large to be told. */
const RawRef = z.object({ artifact_id: z.string(), size_bytes: z.number().int(), mime_type: z.string() });

/** What started a turn when it was no message of a person: an event, told as it was and never as a person's words. */
export const TurnEvent = z.object({
  event_id: z.string().min(1).max(256),
  event_type: z.string().min(1).max(128),
  event_time: z.number().int().nullable().default(null),
  source: z.string().max(128),
  source_event_type: name,
  raw_ref: RawRef.nullable().default(null),
  data: JsonObject.default({}),
  trigger_source: z.enum(['platform', 'webui', 'api', 'scheduler', 'system', 'pipeline_adapter', 'host_adapter']),
  conversation: z
    .object({ thread_id: name, launcher_type: name, launcher_id: name, bot_id: name })
    .nullable()
    .default(null),
  actor: z
    .object({ actor_type: z.string(), actor_id: name, actor_name: name, metadata: JsonObject.default({}) })
    .nullable()
    .default(null),
  subject: z
    .object({ subject_type: z.string(), subject_id: name, data: JsonObject.default({}) })
    .nullable()
    .default(null),
  delivery: JsonObject.nullable().default(null),
  /** Only for runs that a pipeline starts. */
  adapter: JsonObject.nullable().default(null),
  /** The binding that took the event: its grant holds for the run, within the agent's own. */
  binding_id: z.string().optional(),
});
export type TurnEvent = z.infer<typeof TurnEvent>;

/** USER_INPUT. `client_run_id` and `payload_hash` are the client's idempotency key and what it stood for (SR-INV-T8). */
export const UserInputPayload = z.object({
  input: AgentInput,
  mentioned_agent_id: z.string().optional(),
  client_run_id: z.string().optional(),
  client_message_id: z.string().optional(),
  payload_hash: z.string().optional(),
  data: z.record(z.string(), Json).default({}),
  /** Where the data stands that is too large to be inlined (RA-9.28). */
  raw_ref: RawRef.optional(),
  /** Said in place of what stands in the transcript from here on: an edited message, or an answer asked for again. */
  branch: z.object({ from_seq: z.number().int().positive() }).optional(),
  /** Present when no person's message started the turn. */
  event: TurnEvent.optional(),
  /** Present when the session sends the input to an agent again. */
  resume: Resume.optional(),
});
export type UserInputPayload = z.infer<typeof UserInputPayload>;
