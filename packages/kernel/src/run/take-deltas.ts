import { limits } from '@rostra/protocol/wire/limits';
import { isDelta } from './delta.ts';
import type { Channel } from './message-cursor.ts';
import { moveOn, type Run } from './run.ts';

/** Deltas that stand next to each other in a line and say one thing: pieces of one channel. */
export interface TakenDeltas {
  /** The run after the last of them; their numbers are not given out yet. */
  run: Run;
  channel: Channel;
  pieces: string[];
}

/**
 * Takes as many plain deltas as follow each other from `from` on. There are fifty of them for each other result, so they
 * are judged without a word about each; whatever is not plain (null) is judged by `takeResult`, which says the same.
 */
export function takeDeltas(run: Run, results: readonly unknown[], from: number): TakenDeltas | null {
  if (run.phase === 'ended') return null;
  let last = dueAfter(run.last_runner_sequence, results[from]);
  const first = plainDelta(results[from], last);
  if (first === null) return null;
  const pieces = [first.piece];
  let chars = first.piece.length;
  while (chars < limits.chunk_chars) {
    const next = plainDelta(results[from + pieces.length], last + 1);
    if (next === null || next.channel !== first.channel) break;
    pieces.push(next.piece);
    chars += next.piece.length;
    last += 1;
  }
  return { run: moveOn(run, last, run.next_sequence, run.chunks), channel: first.channel, pieces };
}

/** The number that the next result must have; runners count from 0 or from 1. */
function dueAfter(last: number | null, tuple: unknown): number {
  if (last !== null) return last + 1;
  return Array.isArray(tuple) && tuple[0] === 0 ? 0 : 1;
}

/** The one piece of a delta that says something in one channel and has the number that is due. */
function plainDelta(tuple: unknown, sequence: number): { channel: Channel; piece: string } | null {
  if (!Array.isArray(tuple) || tuple[0] !== sequence || tuple[1] !== 'message.delta') return null;
  const data: unknown = tuple[2];
  if (!isDelta(data) || data.usage) return null;
  const { content, reasoning_content } = data.chunk;
  if (content && !reasoning_content) return { channel: 'text', piece: content };
  return reasoning_content && !content ? { channel: 'reasoning', piece: reasoning_content } : null;
}
