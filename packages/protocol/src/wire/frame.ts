import { z } from 'zod';
import { Json } from './json.ts';

/** JSON-RPC 2.0, one object per line, both directions. */
export const RequestFrame = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.number(), z.string()]),
  method: z.string(),
  params: Json.optional(),
});
export type RequestFrame = z.infer<typeof RequestFrame>;

export const NotificationFrame = z.object({
  jsonrpc: z.literal('2.0'),
  method: z.string(),
  params: Json.optional(),
});
export type NotificationFrame = z.infer<typeof NotificationFrame>;

/** JSON-RPC's own number stands in `code`; the host's word for it, an AgentAPIError, in `data`. */
export const FrameError = z.object({ code: z.number(), message: z.string(), data: Json.optional() });
export type FrameError = z.infer<typeof FrameError>;

export const ResponseFrame = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.number(), z.string()]),
  result: Json.optional(),
  error: FrameError.optional(),
});
export type ResponseFrame = z.infer<typeof ResponseFrame>;
