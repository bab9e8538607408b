import type { EarlierMessage, RecentMessages } from '@rostra/kernel/context/bootstrap';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { limits } from '@rostra/protocol/wire/limits';
import type { TranscriptStore } from '../store/ports/transcript.ts';

export type TranscriptReader = Pick<TranscriptStore, 'page'>;

/** The newest messages of a session, oldest first. A store that cannot be read costs a run its history, not its life. */
export async function readRecent(
  transcript: TranscriptReader,
  session_id: string,
  count: number,
): Promise<RecentMessages | null> {
  let rows: EarlierMessage[] = [];
  try {
    for (;;) {
      const [oldest] = rows;
      const limit = Math.min(count - rows.length, limits.page_items);
      const page = await transcript.page(session_id, oldest === undefined ? { limit } : { limit, before: oldest.seq });
      rows = [...page.rows, ...rows];
      if (!page.has_more || rows.length >= count) return { rows, has_more: page.has_more };
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return null;
  }
}
