import type { EarlierMessage } from '@rostra/kernel/context/bootstrap';
import type { TranscriptCursors } from '@rostra/kernel/context/transcript-cursor';

/** A message of the transcript. */
export function earlier(seq: number, content: string, change: Partial<EarlierMessage> = {}): EarlierMessage {
  return {
    seq,
    turn_id: `turn of ${seq}`,
    role: 'user',
    item_type: 'message',
    content,
    content_json: null,
    attachments: [],
    ...change,
  };
}

/** Cursors that a test can read. */
export const cursors: TranscriptCursors = {
  seal: (seq) => `c${seq}`,
  open: (text) => (/^c\d+$/.test(text) ? Number(text.slice(1)) : null),
};
