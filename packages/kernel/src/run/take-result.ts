import { RunResultData, type RunResultType } from '@rostra/protocol/runner/run-result';
import { limits } from '@rostra/protocol/wire/limits';
import { moveOn, type Run } from './run.ts';

/** What becomes of one result. Only `forward` goes on to be translated, only `too_large` ends the run. */
export type Verdict = 'forward' | 'duplicate' | 'after_terminal' | 'unknown_type' | 'malformed' | 'too_large';

export type Taken =
  | { run: Run; gap: boolean; verdict: 'forward'; type: RunResultType; data: unknown; more: string[] }
  | { run: Run; gap: boolean; verdict: Exclude<Verdict, 'forward'> };

function isResultType(type: string): type is RunResultType {
  return Object.hasOwn(RunResultData, type);
}

/** A result that is not forwarded is counted and takes no number of the host. */
export function dropResult(run: Run): Run {
  return { ...run, dropped: run.dropped + 1 };
}

function refuse(run: Run, verdict: Exclude<Verdict, 'forward'>, gap = false): Taken {
  return { run: dropResult(run), gap, verdict };
}

/** The pieces of text that stand behind a delta in its own element, each with the next number; null: no such thing. */
export function piecesBehind(tuple: readonly unknown[]): string[] | null {
  if (tuple.length <= 3) return noPieces;
  const more: unknown = tuple[3];
  if (tuple[1] !== 'message.delta' || !Array.isArray(more)) return null;
  return more.every((piece) => typeof piece === 'string' && piece !== '') ? more : null;
}

const noPieces: string[] = [];

/**
 * Judges one element of `RESULTS`, `[sequence, type, data]` or `[sequence, type, data, more]`, of which nothing is known but that it was JSON. `bytes` is
 * the size of its data or, when that is small enough, anything above it. The runner's own numbers serve only to find
 * repeats and gaps (RP-6.14). Whether the data is what the type says is for its translator to find out.
 */
export function takeResult(run: Run, tuple: unknown, bytes: number): Taken {
  if (run.phase === 'ended') return refuse(run, 'after_terminal');
  if (!Array.isArray(tuple)) return refuse(run, 'malformed');
  const sequence: unknown = tuple[0];
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence)) return refuse(run, 'malformed');
  const last = run.last_runner_sequence;
  if (last !== null && sequence <= last) return refuse(run, 'duplicate');
  // Runners count from 0 or from 1.
  const gap = last === null ? sequence > 1 : sequence > last + 1;
  const more = piecesBehind(tuple);
  const heard = moveOn(run, sequence + (more?.length ?? 0), run.next_sequence, run.chunks);
  const type: unknown = tuple[1];
  if (bytes > limits.result_bytes) return refuse(heard, 'too_large', gap);
  if (typeof type !== 'string' || more === null) return refuse(heard, 'malformed', gap);
  if (!isResultType(type)) return refuse(heard, 'unknown_type', gap);
  return { run: heard, gap, verdict: 'forward', type, data: tuple[2], more };
}
