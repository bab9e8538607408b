import type { IncomingMessage } from 'node:http';
import { limits } from '@rostra/protocol/wire/limits';
import type { Principal } from '../session/session-gateway.ts';
import type { InteractionStore } from '../store/ports/interaction.ts';
import type { ReaderMeans } from './transcript-item.ts';

export interface ReaderParts {
  readonly interactions: Pick<InteractionStore, 'page'>;
  /** A fresh url of a file in a session, for a reader who was found to be allowed to read that session. */
  sign(principal: Principal, file: { artifact_id: string; session_id: string }, req: IncomingMessage): string;
}

/** What this reader needs to be shown the messages of a session that they may see. */
export async function readerMeans(
  { interactions, sign }: ReaderParts,
  session_id: string,
  principal: Principal,
  req: IncomingMessage,
): Promise<ReaderMeans> {
  const { workspace_id } = principal;
  const filter = { workspace_id, session_id, status: 'pending' as const };
  const { rows } = await interactions.page(filter, { limit: limits.page_items });
  return {
    url: (artifact_id) => sign(principal, { artifact_id, session_id }, req),
    open: new Set(rows.map(({ interaction_id }) => interaction_id)),
  };
}
