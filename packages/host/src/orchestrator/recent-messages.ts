import type { EarlierMessage, RecentMessages } from '@rostra/kernel/context/bootstrap';
import type { GrantScope } from '@rostra/kernel/grant/grant';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { TranscriptStore } from '../store/ports/transcript.ts';

export type TranscriptReader = Pick<TranscriptStore, 'page'>;

/**
 * The newest messages of a run's own conversation, bot and thread, oldest first. A store that cannot be read costs a run
 * its history, not its life.
 */
export async function readRecent(
  transcript: TranscriptReader,
  { conversation_id, thread_id, bot_id }: GrantScope,
  count: number,
): Promise<RecentMessages | null> {
  const where = { thread_id, bot_id };
  let rows: EarlierMessage[] = [];
  try {
    for (;;) {
      const [oldest] = rows;
      const limit = Math.min(count - rows.length, limits.page_items);
      const before = oldest === undefined ? {} : { before: oldest.seq };
      const page = await transcript.page(conversation_id, { limit, ...before, where });
      rows = [...page.rows, ...rows];
      if (!page.has_more || rows.length >= count) return { rows, has_more: page.has_more };
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return null;
  }
}
