import { limits } from '@rostra/protocol/wire/limits';
import { isDelta } from './delta.ts';
import type { Channel } from './message-cursor.ts';
import { moveOn, type Run } from './run.ts';
import { piecesBehind } from './take-result.ts';

/** Deltas that stand next to each other in a line and say one thing: pieces of one channel. */
export interface TakenDeltas {
  /** The run after the last of them; their numbers are not given out yet. */
  run: Run;
  channel: Channel;
  pieces: string[];
  /** How many elements of the line they are. */
  elements: number;
}

/**
 * Takes as many plain deltas as follow each other from `from` on. There are fifty of them for each other result, so they
 * are judged without a word about each; whatever is not plain (null) is judged by `takeResult`, which says the same.
 */
export function takeDeltas(run: Run, results: readonly unknown[], from: number): TakenDeltas | null {
  if (run.phase === 'ended') return null;
  const pieces: string[] = [];
  let last = dueAfter(run.last_runner_sequence, results[from]) - 1;
  let channel: Channel | null = null;
  let elements = 0;
  for (let chars = 0; chars < limits.chunk_chars; elements += 1) {
    const next = plainDelta(results[from + elements], last + 1);
    if (next === null || (channel !== null && next.channel !== channel)) break;
    channel = next.channel;
    pieces.push(next.piece);
    for (const piece of next.more) pieces.push(piece);
    last += 1 + next.more.length;
    chars += next.piece.length;
    for (const piece of next.more) chars += piece.length;
  }
  if (channel === null) return null;
  return { run: moveOn(run, last, run.next_sequence, run.chunks), channel, pieces, elements };
}

/** The number that the next result must have; runners count from 0 or from 1. */
function dueAfter(last: number | null, tuple: unknown): number {
  if (last !== null) return last + 1;
  return Array.isArray(tuple) && tuple[0] === 0 ? 0 : 1;
}

interface PlainDelta {
  channel: Channel;
  piece: string;
  more: readonly string[];
}

/** The piece of a delta that says something in one channel and has the number that is due, and those behind it. */
function plainDelta(tuple: unknown, sequence: number): PlainDelta | null {
  if (!Array.isArray(tuple) || tuple[0] !== sequence || tuple[1] !== 'message.delta') return null;
  const data: unknown = tuple[2];
  if (!isDelta(data) || data.usage) return null;
  const { content, reasoning_content } = data.chunk;
  const more = piecesBehind(tuple);
  if (more === null) return null;
  if (content && !reasoning_content) return { channel: 'text', piece: content, more };
  // What stands behind a piece is text, whatever the piece is.
  return reasoning_content && !content && more.length === 0
    ? { channel: 'reasoning', piece: reasoning_content, more }
    : null;
}
