import type { HostStatus } from '../ports.ts';

/** `/healthz`: the process is up and its event loop turns. */
export function health(status: HostStatus): { status: 200; body: object } {
  return { status: 200, body: { status: 'ok', version: status.version } };
}

/** `/readyz`: a run that is posted now would be answered; else what is missing. Either way what else should be known. */
export function readiness(status: HostStatus): { status: 200 | 503; body: object } {
  const { missing, notes = [] } = status;
  const told = notes.length === 0 ? {} : { notes };
  if (missing.length === 0) return { status: 200, body: { status: 'ready', ...told } };
  return { status: 503, body: { status: 'not ready', missing, ...told } };
}
