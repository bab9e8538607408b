import { Worker } from 'node:worker_threads';
import { TRIAL, type TrialReport } from './trial.ts';
import { addTo, type TrialsRequest } from './worker.ts';

/** Trials that one thread takes at a time. */
const SLICE = 5;

type Answer = { report: TrialReport } | { error: string };

function ask(worker: Worker, request: TrialsRequest): Promise<TrialReport> {
  return new Promise((resolve, reject) => {
    worker.once('error', reject);
    worker.once('message', (answer: Answer) => {
      worker.off('error', reject);
      if ('report' in answer) resolve(answer.report);
      else reject(new Error(answer.error));
    });
    worker.postMessage(request);
  });
}

/** Spreads calls over threads; nobody begins another slice once there is a disagreement. */
export async function consult(
  file: string,
  options: { seed: number; calls: number; jobs: number },
): Promise<TrialReport> {
  const { seed, calls, jobs } = options;
  const total: TrialReport = { calls: 0, outcomes: {}, failed_runs: 0, disagreements: [] };
  const slice = SLICE * TRIAL;
  let begun = 0;
  const work = async () => {
    const worker = new Worker(file);
    try {
      while (begun < calls && total.disagreements.length === 0) {
        const first = begun / TRIAL;
        const most = Math.min(slice, calls - begun);
        begun += slice;
        addTo(total, await ask(worker, { seed, first, calls: most }));
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, Math.ceil(calls / slice)) }, work));
  return total;
}
