import { Bench, type BenchOptions } from './bench.ts';
import type { Check } from './check.ts';
import { checksOfDiscovery } from './checks-of-discovery.ts';
import { checksOfRuns } from './checks-of-runs.ts';
import { StreamJudge, type StreamPromise, type StreamViolations } from './run-story.ts';
import { BrokenPromise, NotShown, type Violation } from './wire-line.ts';

/** What became of one promise. */
export interface Verdict {
  readonly promise: string;
  readonly clause: string;
  readonly outcome: 'holds' | 'broken' | 'not shown';
  readonly violations: readonly Violation[];
  readonly reason?: string;
}

/** Seen in every line that a runner says, whatever it is asked. */
const streamPromises: readonly (Pick<Verdict, 'promise' | 'clause'> & { readonly name: StreamPromise })[] = [
  { name: 'frames', promise: 'stdout carries frames and nothing else', clause: 'RP-2.2' },
  { name: 'sizes', promise: 'no line and no result is larger than allowed', clause: 'RP-8.5' },
  { name: 'accepted', promise: 'RUN_ACCEPTED comes before the first result', clause: 'RP-4.1' },
  { name: 'owner', promise: 'results belong to runs that the host started', clause: 'RP-6.13' },
  { name: 'shape', promise: 'every result is one that the protocol knows', clause: 'RP-6.2' },
  { name: 'sequence', promise: 'the numbers of results rise', clause: 'RP-6.14' },
  { name: 'terminal', promise: 'one run.completed or run.failed ends a run, and nothing follows', clause: 'RP-6.12' },
  { name: 'closing', promise: 'the answer to RUN_AGENT comes after all results of its run', clause: 'RP-4.1' },
];

/** The first one is that without which nothing else can be asked. */
export const allChecks: readonly Check[] = [...checksOfDiscovery, ...checksOfRuns];

/** Does checks against a runner command, one after another, each on a process of its own. */
export async function checkRunner(
  options: BenchOptions,
  tell: (verdict: Verdict) => void,
  checks: readonly Check[] = allChecks,
): Promise<Verdict[]> {
  const bench = new Bench(options);
  const verdicts: Verdict[] = [];
  const say = (verdict: Verdict) => {
    verdicts.push(verdict);
    tell(verdict);
  };
  const [first, ...rest] = checks;
  if (first !== undefined) say(await tried(first, bench));
  // Otherwise every further verdict would be the same.
  const isSpoken = bench.runner !== undefined;
  for (const check of isSpoken ? rest : []) say(await tried(check, bench));
  const found: StreamViolations = new Map();
  for (const { lines } of bench.connections) new StreamJudge(found).read(lines);
  for (const { name, ...about } of streamPromises) {
    const violations = found.get(name) ?? [];
    if (!isSpoken && violations.length === 0) continue;
    say({ ...about, outcome: violations.length > 0 ? 'broken' : 'holds', violations });
  }
  return verdicts;
}

async function tried(check: Check, bench: Bench): Promise<Verdict> {
  const { promise, clause } = check;
  const before = bench.connections.length;
  try {
    await check.try(bench);
    return { promise, clause, outcome: 'holds', violations: [] };
  } catch (error) {
    if (error instanceof NotShown)
      return { promise, clause, outcome: 'not shown', violations: [], reason: error.message };
    if (!(error instanceof BrokenPromise)) throw error;
    const { message: problem, line } = error;
    return { promise, clause, outcome: 'broken', violations: [line === undefined ? { problem } : { problem, line }] };
  } finally {
    await Promise.all(bench.connections.slice(before).map((probe) => probe.stop()));
  }
}
