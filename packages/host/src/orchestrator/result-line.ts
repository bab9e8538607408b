import { withinDepth } from '@rostra/kernel/run/json-depth';
import { noteUsage, type Run } from '@rostra/kernel/run/run';
import { takeDeltas } from '@rostra/kernel/run/take-deltas';
import { dropResult, takeResult, type Verdict } from '@rostra/kernel/run/take-result';
import type { RunResultType } from '@rostra/protocol/runner/run-result';
import type { SessionMessage } from '@rostra/protocol/session/message';
import type { JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import type { ResultEffect, ResultEffects } from './result-effects.ts';
import { chunk, dataOf, resultRows, usageIn } from './results.ts';

/** What was wrong with a result; a gap is noted and the result is forwarded all the same (RP-6.14). */
export type Complaint = Exclude<Verdict, 'forward'> | 'gap';

/** A result that does something before it is told. */
export interface PendingEffect {
  type: RunResultType;
  data: JsonObject;
  effect: ResultEffect;
  /** Position of the result after it in its line. */
  next: number;
}

export interface AppliedLine {
  run: Run;
  messages: SessionMessage[];
  complaints: Complaint[];
  /** What whoever wrote the runner should know of results that were taken. */
  notes: string[];
  /** What the rest of the line has to wait for. */
  pending: PendingEffect | null;
}

export interface LinePart {
  readonly effects?: ResultEffects | undefined;
  /** Position of the first result that is not applied yet. */
  readonly from?: number;
}

/** The size of one result's data. Measured only in a line that is long enough to hold some that is too large. */
function sizeOf(result: unknown, lineBytes: number): number {
  if (lineBytes <= limits.result_bytes || !Array.isArray(result)) return lineBytes;
  const data: unknown = result[2] ?? null;
  // What nests too deep to be written out again counts as the whole line.
  return withinDepth(data, limits.json_depth) ? Buffer.byteLength(JSON.stringify(data)) : lineBytes;
}

/** How many results a line holds: those behind a delta, in its own element, count like any other. */
export function countOf(results: readonly unknown[]): number {
  let count = results.length;
  for (const result of results) if (Array.isArray(result) && Array.isArray(result[3])) count += result[3].length;
  return count;
}

/**
 * Applies the results of one `RESULTS` line to its run, in order, up to the one that ends it for being too large or that
 * has something to do first.
 */
export function applyLine(
  run: Run,
  results: readonly unknown[],
  lineBytes: number,
  now: number,
  { effects, from = 0 }: LinePart = {},
): AppliedLine {
  const messages: SessionMessage[] = [];
  const complaints: Complaint[] = [];
  const notes: string[] = [];
  let current = run;
  const areSmall = lineBytes <= limits.result_bytes;
  for (let index = from; index < results.length; index += 1) {
    const deltas = areSmall ? takeDeltas(current, results, index) : null;
    if (deltas !== null) {
      current = chunk(deltas.run, deltas.channel, deltas.pieces, now, messages);
      index += deltas.elements - 1;
      continue;
    }
    const result = results[index];
    const taken = takeResult(current, result, sizeOf(result, lineBytes));
    if (taken.gap) complaints.push('gap');
    if (taken.verdict === 'forward') {
      const effect = effects?.[taken.type];
      const data = effect === undefined ? null : dataOf(taken.type, taken.data);
      if (effect !== undefined && data !== null) {
        const pending = { type: taken.type, data, effect, next: index + 1 };
        return { run: noteUsage(taken.run, usageIn(data)), messages, complaints, notes, pending };
      }
      const next = resultRows[taken.type](taken.run, taken.data, now, messages, notes);
      if (next === null) complaints.push('malformed');
      current = next ?? dropResult(taken.run);
      const [first, ...more] = taken.more;
      if (next !== null && first !== undefined) current = chunk(current, 'text', { first, more }, now, messages);
      continue;
    }
    complaints.push(taken.verdict);
    current = taken.run;
    if (taken.verdict === 'too_large') break;
  }
  return { run: current, messages, complaints, notes, pending: null };
}
