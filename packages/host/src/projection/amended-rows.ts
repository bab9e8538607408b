import type { TranscriptRow } from '@rostra/kernel/projection/transcript-row';
import type { TranscriptFilter, TranscriptStore } from '../store/ports/transcript.ts';

/** What is a message to those who read: not what changed one, or took it back. */
export const messagesOnly: TranscriptFilter = {
  roles: ['user', 'assistant', 'tool'],
  item_types: ['message', 'tool_result'],
};

export interface AmendedRow {
  readonly row: TranscriptRow;
  readonly isEdited: boolean;
}

/** Messages as they stand now: with their last words, and without those that were taken back. */
export async function amendedRows(
  transcript: Pick<TranscriptStore, 'amendments'>,
  session_id: string,
  rows: readonly TranscriptRow[],
): Promise<AmendedRow[]> {
  // Only agents change what they said.
  const ids = rows.filter(({ role }) => role === 'assistant').map(({ item_id }) => item_id);
  const amendments = ids.length === 0 ? [] : await transcript.amendments(session_id, ids);
  const last = new Map(amendments.map((row) => [row.item_id, row]));
  return rows.flatMap((row): AmendedRow[] => {
    const change = row.role === 'assistant' ? last.get(row.item_id) : undefined;
    if (change === undefined) return [{ row, isEdited: false }];
    if (change.item_type === 'message.deleted') return [];
    const { content, content_json } = change;
    return [{ row: { ...row, content, content_json }, isEdited: true }];
  });
}
