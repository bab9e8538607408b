import { withinDepth } from '@rostra/kernel/run/json-depth';
import type { Run } from '@rostra/kernel/run/run';
import { takeDeltas } from '@rostra/kernel/run/take-deltas';
import { dropResult, takeResult, type Verdict } from '@rostra/kernel/run/take-result';
import type { SessionMessage } from '@rostra/protocol/session/message';
import { limits } from '@rostra/protocol/wire/limits';
import { chunk, resultRows } from './results.ts';

/** What was wrong with a result; a gap is noted and the result is forwarded all the same (RP-6.14). */
export type Complaint = Exclude<Verdict, 'forward'> | 'gap';

export interface AppliedLine {
  run: Run;
  messages: SessionMessage[];
  complaints: Complaint[];
}

/** The size of one result's data. Measured only in a line that is long enough to hold some that is too large. */
function sizeOf(result: unknown, lineBytes: number): number {
  if (lineBytes <= limits.result_bytes || !Array.isArray(result)) return lineBytes;
  const data: unknown = result[2] ?? null;
  // What nests too deep to be written out again counts as the whole line.
  return withinDepth(data, limits.json_depth) ? Buffer.byteLength(JSON.stringify(data)) : lineBytes;
}

/** Applies the results of one `RESULTS` line to its run, in order, up to the one that ends it for being too large. */
export function applyLine(run: Run, results: readonly unknown[], lineBytes: number, now: number): AppliedLine {
  const messages: SessionMessage[] = [];
  const complaints: Complaint[] = [];
  let current = run;
  const areSmall = lineBytes <= limits.result_bytes;
  for (let index = 0; index < results.length; index += 1) {
    const deltas = areSmall ? takeDeltas(current, results, index) : null;
    if (deltas !== null) {
      current = chunk(deltas.run, deltas.channel, deltas.pieces, now, messages);
      index += deltas.pieces.length - 1;
      continue;
    }
    const result = results[index];
    const taken = takeResult(current, result, sizeOf(result, lineBytes));
    if (taken.gap) complaints.push('gap');
    if (taken.verdict === 'forward') {
      const next = resultRows[taken.type](taken.run, taken.data, now, messages);
      if (next === null) complaints.push('malformed');
      current = next ?? dropResult(taken.run);
      continue;
    }
    complaints.push(taken.verdict);
    current = taken.run;
    if (taken.verdict === 'too_large') break;
  }
  return { run: current, messages, complaints };
}
