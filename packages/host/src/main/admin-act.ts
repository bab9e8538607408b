import type { JsonObject } from '@rostra/protocol/wire/json';
import type { Principal } from '../session/session-gateway.ts';
import type { AuditEntry } from '../store/ports/audit.ts';

/** Where acts of administrators are written down. */
export interface AdminTrail {
  readonly audit: { add(entry: AuditEntry): void };
  readonly now: () => number;
}

/** Writes down what an administrator did. */
export function tellAct(
  { audit, now }: AdminTrail,
  { workspace_id, user_id }: Principal,
  action: string,
  resource: string | null,
  details: JsonObject = {},
): void {
  audit.add({
    at: now(),
    workspace_id,
    actor: `user:${user_id}`,
    session_id: null,
    run_id: null,
    runner_id: null,
    action,
    resource,
    scope: 'admin',
    result: 'ok',
    details,
  });
}
