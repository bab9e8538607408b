import { limits } from '@rostra/protocol/wire/limits';
import { isDelta } from './delta.ts';
import type { Channel } from './message-cursor.ts';
import { moveOn, type Run } from './run.ts';
import { piecesBehind } from './take-result.ts';

/** What was said in one channel, at least one piece; a long line holds most of them in one list, which is not copied. */
export interface Pieces {
  readonly first: string;
  readonly more: string[];
}

/** Deltas that stand next to each other in a line and say one thing: pieces of one channel. */
export interface TakenDeltas {
  /** The run after the last of them; their numbers are not given out yet. */
  run: Run;
  channel: Channel;
  pieces: Pieces;
  /** How many elements of the line they are. */
  elements: number;
}

/**
 * Takes as many plain deltas as follow each other from `from` on. There are fifty of them for each other result, so they
 * are judged without a word about each; whatever is not plain (null) is judged by `takeResult`, which says the same.
 */
export function takeDeltas(run: Run, results: readonly unknown[], from: number): TakenDeltas | null {
  if (run.phase === 'ended') return null;
  let last = dueAfter(run.last_runner_sequence, results[from]) - 1;
  const begun = plainDelta(results[from], last + 1);
  if (begun === null) return null;
  const { channel, first } = begun;
  let joined: string[] | null = null;
  last += 1 + begun.more.length;
  let chars = charsOf(begun);
  let elements = 1;
  for (; chars < limits.chunk_chars; elements += 1) {
    const next = plainDelta(results[from + elements], last + 1);
    if (next === null || next.channel !== channel) break;
    joined ??= [...begun.more];
    joined.push(next.first);
    for (const piece of next.more) joined.push(piece);
    last += 1 + next.more.length;
    chars += charsOf(next);
  }
  const pieces = { first, more: joined ?? begun.more };
  return { run: moveOn(run, last, run.next_sequence, run.chunks), channel, pieces, elements };
}

function charsOf({ first, more }: Pieces): number {
  let chars = first.length;
  for (const piece of more) chars += piece.length;
  return chars;
}

/** The number that the next result must have; runners count from 0 or from 1. */
function dueAfter(last: number | null, tuple: unknown): number {
  if (last !== null) return last + 1;
  return Array.isArray(tuple) && tuple[0] === 0 ? 0 : 1;
}

interface PlainDelta extends Pieces {
  readonly channel: Channel;
}

/** The piece of a delta that says something in one channel and has the number that is due, and those behind it. */
function plainDelta(tuple: unknown, sequence: number): PlainDelta | null {
  if (!Array.isArray(tuple) || tuple[0] !== sequence || tuple[1] !== 'message.delta') return null;
  const data: unknown = tuple[2];
  if (!isDelta(data) || data.usage) return null;
  const { content, reasoning_content } = data.chunk;
  const more = piecesBehind(tuple);
  if (more === null) return null;
  if (content && !reasoning_content) return { channel: 'text', first: content, more };
  // What stands behind a piece is text, whatever the piece is.
  return reasoning_content && !content && more.length === 0
    ? { channel: 'reasoning', first: reasoning_content, more }
    : null;
}
