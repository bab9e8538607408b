import type { AgentInput } from '@rostra/protocol/session/input';
import { limits } from '@rostra/protocol/wire/limits';
import type { ActiveRun } from '../../orchestrator/run-charter.ts';
import type { AuditEntry } from '../../store/ports/audit.ts';
import type { ApiFamily } from '../api-family.ts';

/** The session's side: takes inputs for a live run, after the commit that says so. */
export interface SteeredSessions {
  takeInputs(
    run: ActiveRun,
    limit: number,
  ): Promise<readonly { turn_id: string; event_id: string; input: AgentInput; received_at: number }[]>;
}

export interface SteeringDeps {
  readonly sessions: SteeredSessions;
  readonly audit: { add(entry: AuditEntry): void };
  readonly now: () => number;
}

export function steeringFamily({ sessions, audit, now }: SteeringDeps): ApiFamily<'steering.pull'> {
  return {
    'steering.pull': {
      asks: () => ({ family: 'steering' }),
      async serve({ mode, limit = limits.steering }, run) {
        const items = await sessions.takeInputs(run, mode === 'one-at-a-time' ? 1 : limit);
        for (const { turn_id } of items) audit.add(steeringEntry(run, 'steering.injected', turn_id, now()));
        return {
          items: items.map(({ received_at, ...item }) => ({ ...item, received_at: Math.floor(received_at / 1000) })),
        };
      },
    },
  };
}

/** What became of an input that came during a run: one row of the audit. */
function steeringEntry(run: ActiveRun, action: string, turn_id: string, at: number): AuditEntry {
  const { grant, binding } = run.charter;
  return {
    at,
    workspace_id: grant.scope.workspace_id,
    actor: `agent:${run.agent_id}`,
    session_id: run.session_id,
    run_id: run.run_id,
    runner_id: binding.runner_id,
    action,
    resource: turn_id,
    scope: 'conversation',
    result: 'ok',
    details: { agent_id: run.agent_id, turn_id: run.turn_id },
  };
}
