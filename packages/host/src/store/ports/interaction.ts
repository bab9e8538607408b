import type { InteractionRow } from '@rostra/kernel/projection/interaction-rows';
import type { InteractionStatus, InteractionSubject } from '@rostra/protocol/run-api/interaction';
import type { PageRequest } from './page.ts';

/** Which questions; those of one owner are the questions of the sessions that this user owns. */
export interface InteractionFilter {
  workspace_id: string;
  owner_id?: string;
  session_id?: string;
  status?: InteractionStatus;
  turn_id?: string;
  purpose?: InteractionSubject;
  /** Not those for this. */
  except?: InteractionSubject;
}

/** The inbox as it is read. Rows are written by `SessionStore.commit`: the session is what decides. */
export interface InteractionStore {
  get(interaction_id: string): Promise<InteractionRow | null>;
  /** Newest first. */
  page(filter: InteractionFilter, page?: PageRequest<string>): Promise<{ rows: InteractionRow[]; has_more: boolean }>;
}
