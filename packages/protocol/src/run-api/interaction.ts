import { z } from 'zod';
import { InteractionPurpose } from '../session/input.ts';
import { Json, JsonObject } from '../wire/json.ts';

/** What stands in the inbox: what agents ask for, and handovers, which the session asks for. */
export const InteractionSubject = z.enum([...InteractionPurpose.options, 'handover']);
export type InteractionSubject = z.infer<typeof InteractionSubject>;

export const InteractionKind = z.enum(['form', 'confirmation', 'choice']);
export type InteractionKind = z.infer<typeof InteractionKind>;

export const InteractionStatus = z.enum(['pending', 'answered', 'expired', 'run_lost', 'run_ended', 'withdrawn']);
export type InteractionStatus = z.infer<typeof InteractionStatus>;

/** One question as `GET /api/v1/interactions` gives it. */
export const InteractionItem = z.object({
  id: z.string(),
  purpose: InteractionSubject,
  kind: InteractionKind,
  session_id: z.string(),
  turn_id: z.string().nullable(),
  run_id: z.string().nullable(),
  agent_id: z.string(),
  title: z.string(),
  request: Json,
  /** What an answer may name: the request's own, or those of its kind. */
  actions: z.array(z.object({ id: z.string(), label: z.string() })),
  status: InteractionStatus,
  answer: z.object({ action_id: z.string(), values: JsonObject }).nullable(),
  answered_by: z.string().nullable(),
  created_at: z.number(),
  expires_at: z.number(),
  resolved_at: z.number().nullable(),
});
export type InteractionItem = z.infer<typeof InteractionItem>;

export const InteractionPage = z.object({ items: z.array(InteractionItem), next_cursor: z.string().nullable() });
export type InteractionPage = z.infer<typeof InteractionPage>;

/** `POST /api/v1/interactions/{id}/answer` */
export const AnswerBody = z.strictObject({
  action_id: z.string().min(1).max(128),
  values: JsonObject.default({}),
});
export type AnswerBody = z.infer<typeof AnswerBody>;
