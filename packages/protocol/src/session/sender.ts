import { z } from 'zod';

/** Who sent a message. Stamped by the ingress from the connection, never read from what was sent (SR-INV-M5). */
export const Sender = z.object({
  kind: z.enum(['user', 'agent', 'session_manager', 'driver', 'session']),
  id: z.string(),
  role: z.enum(['owner', 'participant', 'observer']).optional(),
});
export type Sender = z.infer<typeof Sender>;
