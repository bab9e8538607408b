import { z } from 'zod';

const turnTimer = z.object({ turn_id: z.string(), gen: z.number().int() });
const txTimer = z.object({ tx_id: z.string(), gen: z.number().int() });

/** TIMER payloads, by subtype. A deadline is data in the context; its expiry is a message like any other (SR-D7). */
export const TimerPayloads = {
  INPUT_ACK: turnTimer,
  CANCEL_ACK: turnTimer,
  QUEUE: turnTimer,
  IDLE: turnTimer,
  TURN: turnTimer,
  INTERACTION: z.object({ turn_id: z.string(), gen: z.number().int(), interaction_id: z.string() }),
  TX: txTimer,
};
