import type { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { Principal } from '../session/session-gateway.ts';
import type { AuditEntry } from '../store/ports/audit.ts';

const MINUTE = 60_000;

/** A request that was refused. */
export interface RefusedRequest {
  readonly method: string;
  /** Without its query: there may be anything in it. */
  readonly path: string;
  readonly address: string;
  readonly principal: Principal | null;
  readonly status: number;
  readonly error: ApiError;
}

export interface RefusalTrailOptions {
  readonly audit: { add(entry: AuditEntry): void };
  /** Where refusals of whoever was not known are kept. */
  readonly workspace_id: string;
  readonly now: () => number;
}

/**
 * One row for every refusal. Of those that come by the thousand, without a credential or beyond a rate, one row for each
 * principal or address and minute; of all others no more than `limits.refusal_rows`, so that nobody fills the disk.
 */
export class RefusalTrail {
  readonly #options: RefusalTrailOptions;
  #minute = 0;
  #rows = new Map<string, number>();

  constructor(options: RefusalTrailOptions) {
    this.#options = options;
  }

  add({ method, path, address, principal, status, error }: RefusedRequest): void {
    const { audit, workspace_id, now } = this.#options;
    const at = now();
    const actor = principal === null ? `address:${address}` : `user:${principal.user_id}`;
    if (!this.#hasRoom(at, actor, status)) return;
    const { reason, scope } = error.details;
    audit.add({
      at,
      workspace_id: principal?.workspace_id ?? workspace_id,
      actor,
      session_id: null,
      run_id: null,
      runner_id: null,
      action: `http.${method.toLowerCase().slice(0, 16)}`,
      resource: path.slice(0, limits.audit_text_chars),
      scope: typeof scope === 'string' ? scope : null,
      result: error.code,
      details: {
        status,
        address,
        message: error.message,
        ...(principal?.credential !== undefined && { credential: principal.credential.id }),
        ...(reason !== undefined && { reason }),
      },
    });
  }

  #hasRoom(at: number, actor: string, status: number): boolean {
    const minute = Math.floor(at / MINUTE);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#rows = new Map();
    }
    const isFlood = status === 401 || status === 429;
    const key = isFlood ? `${status} ${actor}` : actor;
    const rows = this.#rows.get(key) ?? 0;
    if (rows >= (isFlood ? 1 : limits.refusal_rows) || this.#rows.size >= limits.audit_queue) return false;
    this.#rows.set(key, rows + 1);
    return true;
  }
}
