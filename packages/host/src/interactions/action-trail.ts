import type { ActiveRun } from '../orchestrator/run-charter.ts';
import type { AuditEntry } from '../store/ports/audit.ts';

/** One row of the audit for every action that an agent requests by a result, allowed or not. */
export class ActionTrail {
  readonly #audit: { add(entry: AuditEntry): void };
  readonly #now: () => number;

  constructor(audit: { add(entry: AuditEntry): void }, now: () => number) {
    this.#audit = audit;
    this.#now = now;
  }

  add(run: ActiveRun, action: string, result: string): void {
    const { grant, binding } = run.charter;
    this.#audit.add({
      at: this.#now(),
      workspace_id: grant.scope.workspace_id,
      actor: `runner:${binding.runner_id}`,
      session_id: run.session_id,
      run_id: run.run_id,
      runner_id: binding.runner_id,
      action: 'action.requested',
      resource: action,
      scope: 'conversation',
      result,
      details: { agent_id: run.agent_id },
    });
  }
}
