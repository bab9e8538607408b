import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';
import { method } from './api-method.ts';

/** RP-7.26, RP-7.27. The answer says what became of it: done, refused by policy, or put before a person. */
export const PlatformApi = {
  'platform.request_action': method(
    { action: z.string().min(1).max(128), target: JsonObject.default({}), payload: JsonObject.default({}) },
    z.object({
      status: z.enum(['executed', 'pending', 'denied']),
      interaction_id: z.string().nullable().default(null),
      result: Json.default(null),
    }),
  ),
};
