/** Runs trials inside a worker thread, one request at a time. */

import { parentPort } from 'node:worker_threads';
import { TRIAL, Trial, type TrialReport } from './trial.ts';

export interface TrialsRequest {
  seed: number;
  first: number;
  /** Calls in all; every trial has as many as a trial has, the last one what is left. */
  calls: number;
}

/** Several trials as one report; ends with the first that disagrees. */
export async function runTrials({ seed, first, calls }: TrialsRequest): Promise<TrialReport> {
  const total: TrialReport = { calls: 0, outcomes: {}, failed_runs: 0, disagreements: [] };
  for (let number = first; total.calls < calls && total.disagreements.length === 0; number += 1) {
    addTo(total, await Trial.run(seed, number, Math.min(TRIAL, calls - total.calls)));
  }
  return total;
}

export function addTo(total: TrialReport, report: TrialReport): void {
  total.calls += report.calls;
  total.failed_runs += report.failed_runs;
  total.disagreements.push(...report.disagreements);
  for (const [outcome, count] of Object.entries(report.outcomes)) {
    total.outcomes[outcome] = (total.outcomes[outcome] ?? 0) + count;
  }
}

parentPort?.on('message', (request: TrialsRequest) => {
  void runTrials(request).then(
    (report) => parentPort?.postMessage({ report }),
    (error: unknown) => parentPort?.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
