import type { Violation } from './invariants/oracle.ts';
import { runSchedule, scheduleSeed } from './world/schedule.ts';

interface Shrinkable {
  index: number;
  violation: Violation;
  decisions: string[];
  messages: string[];
}

/** Delta debugging: leaves out ever smaller parts of the decisions, as long as the same invariant still breaks. */
export function shrink<F extends Shrinkable>(seed: number, failure: F): F {
  const scheduled = scheduleSeed(seed, failure.index);
  const fails = (decisions: string[]) =>
    runSchedule(scheduled, decisions).violations.some(({ invariant }) => invariant === failure.violation.invariant);
  let decisions = [...new Set(failure.decisions)];
  let size = Math.ceil(decisions.length / 2);
  while (size >= 1) {
    let removed = false;
    for (let start = 0; start < decisions.length; ) {
      const fewer = [...decisions.slice(0, start), ...decisions.slice(start + size)];
      if (fewer.length < decisions.length && fails(fewer)) {
        decisions = fewer;
        removed = true;
      } else {
        start += size;
      }
    }
    if (size === 1 && !removed) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  const result = runSchedule(scheduled, decisions);
  const violation = result.violations.find(({ invariant }) => invariant === failure.violation.invariant);
  return { ...failure, violation: violation ?? failure.violation, decisions, messages: result.log() };
}
