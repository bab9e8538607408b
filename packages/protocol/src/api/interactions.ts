import { z } from 'zod';
import { InteractionKind } from '../run-api/interaction.ts';
import { Json, JsonObject } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { method } from './api-method.ts';

const id = z.string().min(1).max(128);
const label = z.string().max(limits.interaction_label_chars);

export const InteractionField = z.object({
  id,
  label,
  type: z.enum(['string', 'text', 'integer', 'float', 'boolean', 'select', 'multi-select']),
  required: z.boolean().default(false),
  options: z.array(z.object({ value: z.string(), label })).default([]),
  /** Bounds of a number, or of the length of a text. */
  min: z.number().optional(),
  max: z.number().optional(),
  default: Json.optional(),
});
export type InteractionField = z.infer<typeof InteractionField>;

/** A question to a person. Where it is shown is frozen by the host; whatever cannot show it shows the fallback text. */
export const InteractionRequest = z.object({
  kind: InteractionKind,
  title: label,
  body: z.string().default(''),
  fields: z.array(InteractionField).max(limits.interaction_fields).default([]),
  actions: z.array(z.object({ id, label })).max(limits.interaction_actions).default([]),
  /** Milliseconds from now, or the instant in milliseconds; at most 24 hours ahead. */
  expires_in: z.number().int().positive().optional(),
  expires_at: z.number().int().optional(),
  fallback_text: z.string().default(''),
});
export type InteractionRequest = z.infer<typeof InteractionRequest>;
/** As its author writes it, before defaults are filled in. */
export type AskedInteraction = z.input<typeof InteractionRequest>;

/** `submitted` exactly once; the other words say why there is no answer. */
export const InteractionOutcome = z.object({
  interaction_id: z.string(),
  status: z.enum(['open', 'submitted', 'expired', 'cancelled', 'delivery_failed', 'run_lost']),
  action: z.string().nullable().default(null),
  values: JsonObject.default({}),
});
export type InteractionOutcome = z.infer<typeof InteractionOutcome>;

/** A run that must have the answer asks and waits here; one that can end asks by the result `action.requested`. */
export const InteractionsApi = {
  'interactions.request': method({ request: InteractionRequest }, InteractionOutcome),
  'interactions.get': method({ interaction_id: z.string() }, InteractionOutcome),
  /** Answered when the interaction is no longer open. */
  'interactions.wait': method({ interaction_id: z.string() }, InteractionOutcome),
};
