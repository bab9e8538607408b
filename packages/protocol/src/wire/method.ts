import { z } from 'zod';

/** Methods of the runner wire, host to runner and runner to host (RP-3, RP-4). */
export const WireMethod = z.enum([
  'LIST_AGENT_RUNNERS',
  'CONTEXT_PART',
  'RUN_AGENT',
  'RUN_ACCEPTED',
  'RESULTS',
  'RUN_CREDIT',
  'RUN_ALIVE',
  'RUN_SPAWNED',
  'RUN_REAPED',
  'CALL_CHUNK',
  'CALL_CANCEL',
  'CANCEL_RUN',
  'PING',
]);
export type WireMethod = z.infer<typeof WireMethod>;

/** The name by which this host introduces itself to runners. */
export const HOST_NAME = 'rostra';

/** Major.minor: a newer host serves older runners of the same major. */
export const PROTOCOL_VERSION = '1.2';
