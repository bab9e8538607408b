import type { JsonObject } from '@rostra/protocol/wire/json';
import type { Principal } from '../session/session-gateway.ts';
import type { AuditEntry } from '../store/ports/audit.ts';

/** What somebody did with who may use this host. */
export interface Act {
  readonly action: 'key.create' | 'key.revoke' | 'login.link' | 'login' | 'logout';
  readonly resource: string | null;
  readonly details?: JsonObject;
}

export function actEntry(at: number, { workspace_id, user_id, credential }: Principal, act: Act): AuditEntry {
  return {
    at,
    workspace_id,
    actor: `user:${user_id}`,
    session_id: null,
    run_id: null,
    runner_id: null,
    action: act.action,
    resource: act.resource,
    scope: null,
    result: 'ok',
    details: { ...(credential !== undefined && { credential: credential.id }), ...act.details },
  };
}
