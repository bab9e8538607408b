import type { Bus, Unsubscribe } from '../bus/port.ts';
import type { AuditEntry } from '../store/ports/audit.ts';

export interface SteeringWatchDeps {
  readonly bus: Bus;
  readonly sessions: { isRequeued(session_id: string, turn_id: string): boolean };
  readonly audit: { add(entry: AuditEntry): void };
  readonly now: () => number;
  readonly workspace_id: string;
}

/** An input that a run left behind becomes a turn of its own; when it is dispatched, the audit has it (SR-D48). */
export function watchRequeued({ bus, sessions, audit, now, workspace_id }: SteeringWatchDeps): Unsubscribe {
  return bus.subscribe('orchestrator', (message) => {
    const { event, session_id, turn_id, run_id, target_id } = message;
    if (event !== 'USER_INPUT' || turn_id === undefined || message.payload.resume !== undefined) return;
    if (!sessions.isRequeued(session_id, turn_id)) return;
    audit.add({
      at: now(),
      workspace_id,
      actor: `agent:${target_id}`,
      session_id,
      run_id: run_id ?? null,
      runner_id: null,
      action: 'steering.requeued',
      resource: turn_id,
      scope: 'conversation',
      result: 'ok',
      details: {},
    });
  });
}
