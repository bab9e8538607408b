import { z } from 'zod';
import { MessageEnvelope } from '../session/message.ts';
import { Json } from '../wire/json.ts';

/** How a session is told: by the messages that it published, or by the AG-UI events of all its runs. */
export const SessionFormat = z.enum(['messages', 'agui']);
export type SessionFormat = z.infer<typeof SessionFormat>;

/** A message of a session as its followers see it. */
export const SessionEventMessage = MessageEnvelope.pick({
  id: true,
  session_id: true,
  sender: true,
  target: true,
  turn_id: true,
  requested_by: true,
  trace_id: true,
  tx_id: true,
  run_id: true,
  ts: true,
  epoch: true,
}).extend({ seq: z.number().int(), event: z.string(), subtype: z.string(), payload: Json });
export type SessionEventMessage = z.infer<typeof SessionEventMessage>;
