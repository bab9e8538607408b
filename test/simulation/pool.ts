import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Failure, RangeReport, RangeRequest, ReplayReport, SimulatorRequest } from './simulator.ts';
import { hashText } from './world/prng.ts';

const SLICE = 125;

/** A thread that runs the bundled simulator and answers one request at a time. */
export class SimulatorThread {
  readonly #worker: Worker;

  constructor(file: string) {
    this.#worker = new Worker(file);
  }

  range(request: RangeRequest): Promise<RangeReport> {
    return this.#ask({ kind: 'range', request });
  }

  shrink(seed: number, failure: Failure): Promise<Failure> {
    return this.#ask({ kind: 'shrink', seed, failure });
  }

  replay(seed: number, index: number, decisions: string[] | null): Promise<ReplayReport> {
    return this.#ask({ kind: 'replay', seed, index, decisions });
  }

  #ask<T>(request: SimulatorRequest): Promise<T> {
    return new Promise((resolve, reject) => {
      const worker = this.#worker;
      const settle = (act: () => void) => {
        worker.off('message', onMessage);
        worker.off('error', onError);
        act();
      };
      const onMessage = (answer: T) => settle(() => resolve(answer));
      const onError = (error: Error) => settle(() => reject(error));
      worker.on('message', onMessage);
      worker.on('error', onError);
      worker.postMessage(request);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

export function defaultJobs(): number {
  return availableParallelism();
}

function addTo(into: Record<string, number>, counts: Record<string, number>): void {
  for (const [key, count] of Object.entries(counts)) into[key] = (into[key] ?? 0) + count;
}

export interface Simulation {
  seed: number;
  schedules: number;
  jobs: number;
  stopAtViolation: boolean;
}

export interface SimulationReport extends Omit<RangeReport, 'hashes'> {
  /** Over the schedules in their order, so that it does not depend on who ran which. */
  hash: string;
  seconds: number;
}

/** Merges what the threads found; only whole slices count, in the order of their schedules. */
function merge(slices: RangeReport[], seconds: number): SimulationReport {
  const total: SimulationReport = {
    schedules: 0,
    messages: 0,
    turns: 0,
    violations: 0,
    faults: {},
    premises: {},
    failure: null,
    hash: '',
    seconds,
  };
  let hash = 0;
  for (const slice of slices) {
    total.schedules += slice.schedules;
    total.messages += slice.messages;
    total.turns += slice.turns;
    total.violations += slice.violations;
    total.failure ??= slice.failure;
    addTo(total.faults, slice.faults);
    addTo(total.premises, slice.premises);
    for (const each of slice.hashes) hash = hashText(hash, each.toString(36));
  }
  total.hash = hash.toString(16).padStart(8, '0');
  return total;
}

/** Spreads the schedules over threads; each takes the next slice when it has done with one. */
export async function simulate(
  file: string,
  { seed, schedules, jobs, stopAtViolation }: Simulation,
): Promise<SimulationReport> {
  const began = performance.now();
  const slices: RangeReport[] = [];
  let next = 0;
  let failed = false;
  const work = async () => {
    const thread = new SimulatorThread(file);
    try {
      while (next < schedules && !failed) {
        const first = next;
        const count = Math.min(SLICE, schedules - first);
        next += count;
        const report = await thread.range({ seed, first, count, stopAtViolation });
        slices[first / SLICE] = report;
        if (stopAtViolation && report.failure !== null) failed = true;
      }
    } finally {
      await thread.end();
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, Math.ceil(schedules / SLICE)) }, work));
  return merge(
    slices.filter((slice) => slice !== undefined),
    (performance.now() - began) / 1000,
  );
}

/** The failure with as few decisions as still show it. */
export async function shrinkFailure(file: string, seed: number, failure: Failure): Promise<Failure> {
  const thread = new SimulatorThread(file);
  try {
    return await thread.shrink(seed, failure);
  } finally {
    await thread.end();
  }
}
