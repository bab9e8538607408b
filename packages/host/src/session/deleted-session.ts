import { ApiError } from '@rostra/protocol/wire/api-error';
import type { StoreReason } from '@rostra/protocol/wire/reason';
import type { SessionCare } from '../store/ports/session-care.ts';

const gone: StoreReason = 'SESSION_GONE';

export function isGone(error: unknown): boolean {
  return error instanceof ApiError && error.details.reason === gone;
}

/** What becomes of those who wait when a session is deleted. */
export function wasDeleted(): ApiError {
  return new ApiError('invalid_argument', 'this session was deleted', {
    details: { reason: gone, hint: 'Start a new session under another id.' },
  });
}

/**
 * A deleted session is not there for those who read. Whoever owned it is told so when they write to it: its id is never
 * given again. To everybody else it looks like any other that is not theirs.
 */
export async function refuseDeleted(
  tombstones: Pick<SessionCare, 'tombstone'>,
  session_id: string,
  { workspace_id, user_id, is_admin = false }: { workspace_id: string; user_id: string; is_admin?: boolean },
): Promise<ApiError | null> {
  const left = await tombstones.tombstone(session_id);
  const isTheirs = left?.workspace_id === workspace_id && (is_admin || left.owner_id === user_id);
  return isTheirs ? wasDeleted() : null;
}
