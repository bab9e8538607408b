import type { LogRecord } from '@rostra/protocol/record/record';
import type { InteractionAnswer, Resume } from '@rostra/protocol/session/input';
import { chunkText } from '../session/chunk.ts';

export type Said = Pick<Resume, 'said' | 'channel' | 'interaction_answer'>;

/** What frontends were shown of a turn, and what its run was told last: where the next attempt goes on from. */
export function saidIn(records: readonly LogRecord[], turn_id: string): Said {
  const pieces: string[] = [];
  const streamed = new Set<string>();
  const asked = new Set<string>();
  let channel: Said['channel'] = null;
  let answer: InteractionAnswer | undefined;
  for (const record of records) {
    if (record.event === 'CONTROL' && record.subtype === 'INTERACTION_ANSWERED' && record.mark === 'in') {
      if (asked.has(record.payload.interaction_id)) answer = record.payload;
    }
    if (record.turn_id !== turn_id) continue;
    if (record.event === 'EVENT' && record.subtype === 'INTERACTION_OPENED') asked.add(record.payload.interaction_id);
    if (record.event !== 'AGENT_OUTPUT' || (record.mark !== 'out' && record.mark !== 'both')) continue;
    if (record.subtype === 'message.started') channel = record.payload.channel;
    else if (record.subtype === 'message.ended') channel = null;
    // Whoever has spoken since has heard the answer.
    else answer = undefined;
    if (record.subtype === 'chunk' && record.payload.text !== undefined) {
      streamed.add(record.payload.message_id);
      pieces.push(chunkText(record.payload));
    }
    if (record.subtype === 'message' && !streamed.has(record.payload.message_id)) {
      if (typeof record.payload.content === 'string') pieces.push(record.payload.content);
    }
  }
  return { said: pieces.join(''), channel, ...(answer !== undefined && { interaction_answer: answer }) };
}
