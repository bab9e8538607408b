import { z } from 'zod';
import { Json, JsonObject } from '../wire/json.ts';
import { method } from './api-method.ts';

const tool_name = z.string().min(1).max(256);

/** RP-7.11, RP-7.12. `parameters` is a JSON Schema in the detail, and exactly what the tool gets in a call. */
export const ToolsApi = {
  'tools.get_detail': method(
    { tool_name },
    z.object({ tool: z.object({ name: z.string(), description: z.string(), parameters: JsonObject }) }),
  ),
  'tools.call': method({ tool_name, parameters: JsonObject.default({}) }, z.object({ result: Json })),
};
