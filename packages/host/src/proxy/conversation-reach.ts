import type { CallTarget } from '@rostra/kernel/grant/check-call';
import type { Grant } from '@rostra/kernel/grant/grant';
import type { HistoryScope } from '@rostra/protocol/runner/resources';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { SessionStore } from '../store/port.ts';
import type { TranscriptFilter, TranscriptStore } from '../store/ports/transcript.ts';

export interface ConversationSources {
  readonly sessions: Pick<SessionStore, 'readHead'>;
  readonly transcript: Pick<TranscriptStore, 'has'>;
}

/** How far a run's reading of conversations may go. */
export function reachOf({ resources }: Grant): HistoryScope {
  return resources.history.scope ?? 'conversation';
}

export function isOwn({ scope }: Grant, conversation_id: string | null | undefined): boolean {
  return conversation_id === null || conversation_id === undefined || conversation_id === scope.conversation_id;
}

/** Which rows of a conversation belong to the run: of its own only those of its bot and thread. */
export function rowsWithin(grant: Grant, conversation_id: string | null | undefined): TranscriptFilter {
  const { thread_id, bot_id } = grant.scope;
  return isOwn(grant, conversation_id) ? { thread_id, bot_id } : rowsBeyond(grant);
}

/** Which rows of other conversations belong to a run that may read some. */
export function rowsBeyond(grant: Grant): TranscriptFilter {
  const { bot_id, actor_id } = grant.scope;
  const reach = reachOf(grant);
  if (reach === 'bot') return { bot_id };
  return reach === 'actor' ? { actor_id } : {};
}

/** Finds out where conversations lie that calls name. */
export class ConversationReach {
  readonly #sources: ConversationSources;

  constructor(sources: ConversationSources) {
    this.#sources = sources;
  }

  /**
   * Where a conversation lies that is not the run's own: a place of its bot or actor if it has any message of them. A run
   * that may read no other is told nothing, and nobody looks.
   */
  async targetOf(grant: Grant, conversation_id: string): Promise<CallTarget | null> {
    if (reachOf(grant) === 'conversation') return null;
    const workspace_id = await this.workspaceOf(conversation_id);
    if (workspace_id === null) return null;
    const { transcript } = this.#sources;
    const { bot_id, actor_id } = grant.scope;
    const isTouched = await transcript.has(conversation_id, rowsBeyond(grant));
    const place = { workspace_id, conversation_id, thread_id: null };
    return { ...place, bot_id: isTouched ? bot_id : null, actor_id: isTouched ? actor_id : null };
  }

  /** Null for a session that is unknown or gone. */
  async workspaceOf(session_id: string): Promise<string | null> {
    try {
      return (await this.#sources.sessions.readHead(session_id))?.workspace_id ?? null;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    }
  }
}
