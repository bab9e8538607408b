import { z } from 'zod';
import { ActionOutcome } from '../session/output.ts';
import { Json, JsonObject } from '../wire/json.ts';
import { method } from './api-method.ts';

/** RP-7.26, RP-7.27. The answer says what became of it: done, refused, offered by nobody, or put before a person. */
export const PlatformApi = {
  'platform.request_action': method(
    { action: z.string().min(1).max(128), target: JsonObject.default({}), payload: JsonObject.default({}) },
    z.object({
      status: z.enum([...ActionOutcome.shape.status.options, 'pending']),
      interaction_id: z.string().nullable().default(null),
      result: Json.default(null),
    }),
  ),
};
