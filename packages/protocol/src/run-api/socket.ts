import { z } from 'zod';
import { JsonObject } from '../wire/json.ts';
import { SessionFormat } from './session-event.ts';

const ref = z.string().max(128).optional().describe('Comes back with the answer.');
const session_id = z.string().min(1).max(128);

/** What a client says over the websocket of sessions (RA-10.7). */
export const SocketCommand = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('subscribe'),
    session_id,
    /** The last event id that the client has; from the start unless told. */
    after: z.string().max(64).optional(),
    format: SessionFormat.default('messages'),
    ref,
  }),
  z.strictObject({ type: z.literal('unsubscribe'), session_id, format: SessionFormat.default('messages'), ref }),
  z.strictObject({ type: z.literal('send'), session_id, message: JsonObject, ref }),
]);
export type SocketCommand = z.infer<typeof SocketCommand>;

/** What the host says over it. `data` of an event has the bytes that the stream of the session has for this id. */
export const SocketNotice = z.discriminatedUnion('type', [
  z.object({ type: z.literal('subscribed'), session_id: z.string(), format: SessionFormat, ref }),
  z.object({ type: z.literal('unsubscribed'), session_id: z.string(), format: SessionFormat, ref }),
  z.object({ type: z.literal('sent'), session_id: z.string(), result: JsonObject, ref }),
  z.object({
    type: z.literal('event'),
    session_id: z.string(),
    format: SessionFormat,
    id: z.string(),
    data: JsonObject,
  }),
  z.object({ type: z.literal('refused'), session_id: z.string().optional(), error: JsonObject, ref }),
]);
export type SocketNotice = z.infer<typeof SocketNotice>;
