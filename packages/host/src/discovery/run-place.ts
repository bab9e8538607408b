import type { ProcessSharing } from '@rostra/protocol/config/agent-config';
import type { RunPlaceKey } from './runner-pool.ts';

/** The name of the process that a run belongs to: runs share one exactly when these are equal. */
export function placeOf({ workspace_id, session_id, run_id }: RunPlaceKey, sharing: ProcessSharing): string {
  if (sharing === 'shared') return workspace_id;
  return sharing === 'session' ? `${workspace_id}\0${session_id}` : `${workspace_id}\0${session_id}\0${run_id}`;
}
