import type { PayloadOf, SessionMessage } from '@rostra/protocol/session/message';

type ChunkPayload = PayloadOf<'AGENT_OUTPUT', 'chunk'>;

/** The pieces of a chunk, numbered from `n` on: as many as its runner sent in one line. */
export function pieceCount({ more }: ChunkPayload): number {
  return more === undefined ? 1 : 1 + more.length;
}

/** The text that a chunk adds to its message; reasoning is none. */
export function chunkText({ text, more }: ChunkPayload): string {
  if (text === undefined) return '';
  return more === undefined ? text : text + more.join('');
}

/** How much a chunk adds to its turn. */
export function chunkSize({ text = '', reasoning = '', more }: ChunkPayload): number {
  let size = text.length + reasoning.length;
  if (more !== undefined) for (const piece of more) size += piece.length;
  return size;
}

/** The number in its run that follows on this message: a chunk takes one for each of its pieces. */
export function sequenceAfter(message: SessionMessage, sequence: number): number {
  const isChunk = message.event === 'AGENT_OUTPUT' && message.subtype === 'chunk';
  return sequence + (isChunk ? pieceCount(message.payload) : 1);
}
