import { z } from 'zod';
import { InteractionPurpose } from '../session/input.ts';
import { Json, JsonObject } from '../wire/json.ts';
import { pageOf } from './operation.ts';

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
  sessionId: z.string(),
  taskId: z.string().nullable(),
  runId: z.string().nullable(),
  agentId: z.string(),
  title: z.string(),
  request: Json,
  actions: z
    .array(z.object({ id: z.string(), label: z.string() }))
    .describe('What an answer may name: the request’s own, or those of its kind.'),
  status: InteractionStatus,
  answer: z.object({ actionId: z.string(), values: JsonObject }).nullable(),
  answeredBy: z.string().nullable(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  resolvedAt: z.iso.datetime().nullable(),
});
export type InteractionItem = z.infer<typeof InteractionItem>;

export const InteractionPage = pageOf(InteractionItem);
export type InteractionPage = z.infer<typeof InteractionPage>;

/** `POST /api/v1/interactions/{interactionId}/answer` */
export const AnswerBody = z.strictObject({
  actionId: z.string().min(1).max(128),
  values: JsonObject.default({}),
});
export type AnswerBody = z.infer<typeof AnswerBody>;

/** An answer as sessions keep it. */
export interface GivenAnswer {
  readonly action_id: string;
  readonly values: JsonObject;
}
