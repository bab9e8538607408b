import { z } from 'zod';
import { StateScope } from '../config/agent-config.ts';
import { Json } from '../wire/json.ts';
import { limits } from '../wire/limits.ts';
import { method } from './api-method.ts';

const scope = StateScope;
const key = z.string().min(1).max(limits.state_key_bytes);
const done = z.object({ success: z.boolean() });

/**
 * Small JSON values of one scope (RP-7.23). A key that was never set reads as null, and to set null deletes; to delete
 * what is not there succeeds.
 */
export const StateApi = {
  'state.get': method({ scope, key }, z.object({ value: Json })),
  'state.set': method({ scope, key, value: Json }, done),
  'state.delete': method({ scope, key }, done),
  'state.list': method(
    {
      scope,
      prefix: z.string().max(limits.state_key_bytes).nullable().default(null),
      limit: z.number().int().min(1).max(limits.state_keys).default(limits.page_items),
    },
    z.object({ keys: z.array(z.string()), has_more: z.boolean() }),
  ),
};
