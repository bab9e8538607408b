import type { EarlierMessage } from '@rostra/kernel/context/bootstrap';

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
