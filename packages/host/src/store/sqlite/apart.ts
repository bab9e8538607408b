import type { PortName } from './tables/port-tables.ts';
import type { WorkerRequest } from './worker-message.ts';

/** Ports whose tables no unit is written to: who asks them need not wait for units. */
const apart: ReadonlySet<PortName> = new Set(['audit', 'state', 'storage', 'registry', 'knowledge']);

/** Whether a request needs no rows but those that are there: of a claimed session, all were before it was handed over. */
export function standsApart(request: WorkerRequest): boolean {
  return request.method === 'names' || (request.method === 'port' && apart.has(request.port));
}
