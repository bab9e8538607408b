import { limits } from '@rostra/protocol/wire/limits';

interface Amount {
  results: number;
  bytes: number;
}

/** Results that were taken together; they are free again when the message numbered `until` is committed. */
interface Mark extends Amount {
  until: number;
}

/**
 * What one run may still send. The runner pays for every result, also for one that is dropped, and gets it back after
 * the commit, so that a flooding run is held at its own source and never stalls its neighbours.
 */
export interface Credit {
  /** Taken and not committed, oldest first; coarse, so that the list stays short. */
  marks: readonly Mark[];
  outstanding: Amount;
  /** Committed and not yet given back. */
  owed: Amount;
  committed: number;
}

export const fullCredit: Credit = {
  marks: [],
  outstanding: { results: 0, bytes: 0 },
  owed: { results: 0, bytes: 0 },
  committed: -1,
};

const MARK_RESULTS = limits.credit_results / 8;
const MARK_BYTES = limits.credit_bytes / 8;

function plus(a: Amount, b: Amount): Amount {
  return { results: a.results + b.results, bytes: a.bytes + b.bytes };
}

function minus(a: Amount, b: Amount): Amount {
  return { results: a.results - b.results, bytes: a.bytes - b.bytes };
}

/** One line of results has been taken; `until` is the number of the last message that exists so far. */
export function charge(credit: Credit, line: Amount, until: number): Credit {
  const outstanding = plus(credit.outstanding, line);
  const last = credit.marks.at(-1);
  const joins = last !== undefined && last.results < MARK_RESULTS && last.bytes < MARK_BYTES;
  const marks = joins
    ? [...credit.marks.slice(0, -1), { results: last.results + line.results, bytes: last.bytes + line.bytes, until }]
    : [...credit.marks, { results: line.results, bytes: line.bytes, until }];
  return { ...credit, marks, outstanding };
}

/** The log holds every message up to number `committed`. `give` is what to return now: at least half a window. */
export function settle(credit: Credit, committed: number): { credit: Credit; give: Amount | null } {
  const upTo = Math.max(credit.committed, committed);
  let { outstanding, owed } = credit;
  let free = 0;
  for (const mark of credit.marks) {
    if (mark.until > upTo) break;
    outstanding = minus(outstanding, mark);
    owed = plus(owed, mark);
    free++;
  }
  const marks = free === 0 ? credit.marks : credit.marks.slice(free);
  const due = owed.results * 2 >= limits.credit_results || owed.bytes * 2 >= limits.credit_bytes;
  const next: Credit = { marks, outstanding, owed: due ? { results: 0, bytes: 0 } : owed, committed: upTo };
  return { credit: next, give: due ? owed : null };
}

/** Far beyond the window: the runner ignores it. One result may be larger than what was left, so it is let through. */
export function overrun(credit: Credit): boolean {
  return (
    credit.outstanding.results > limits.overrun_factor * limits.credit_results ||
    credit.outstanding.bytes > limits.overrun_factor * limits.credit_bytes + limits.result_bytes
  );
}
