import type { PortName } from './tables/port-tables.ts';

/** Ports whose tables no unit is written to: who asks them need not wait for units. */
const apart: ReadonlySet<PortName> = new Set(['audit', 'state', 'storage', 'registry', 'knowledge']);

/** Whether a request is a call of such a port. */
export function standsApart(request: { readonly port?: PortName } | object): boolean {
  return 'port' in request && request.port !== undefined && apart.has(request.port);
}
