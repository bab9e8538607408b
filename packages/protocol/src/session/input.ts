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

/** USER_INPUT. `client_run_id` and `payload_hash` are the client's idempotency key and what it stood for (SR-INV-T8). */
export const UserInputPayload = z.object({
  input: AgentInput,
  mentioned_agent_id: z.string().optional(),
  client_run_id: z.string().optional(),
  client_message_id: z.string().optional(),
  payload_hash: z.string().optional(),
  data: z.record(z.string(), Json).default({}),
});
export type UserInputPayload = z.infer<typeof UserInputPayload>;
