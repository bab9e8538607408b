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
  /** What somebody answered last; it counts if the session took it. */
  let given: InteractionAnswer | undefined;
  let answer: InteractionAnswer | undefined;
  for (const record of records) {
    if (record.event === 'CONTROL' && record.subtype === 'INTERACTION_ANSWERED' && record.mark === 'in') {
      given = record.payload;
    }
    if (record.turn_id !== turn_id) continue;
    if (record.event === 'EVENT' && record.subtype === 'INTERACTION_OPENED') {
      // Whether it may go on was the host's to ask: no runner waits for that.
      if (record.payload.purpose !== 'budget') asked.add(record.payload.interaction_id);
    }
    if (record.event === 'EVENT' && record.subtype === 'INTERACTION_RESOLVED') {
      const { interaction_id, outcome } = record.payload;
      const isGiven = outcome === 'answered' && given?.interaction_id === interaction_id;
      if (isGiven && asked.has(interaction_id)) answer = given;
    }
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
