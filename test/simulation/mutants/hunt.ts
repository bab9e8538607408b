import { bundleSimulator } from '../bundle.ts';
import { SimulatorThread } from '../pool.ts';
import type { Mutant } from './mutant.ts';

export interface Hunt {
  mutant: Mutant;
  killed: { schedules: number; invariant: string; what: string } | null;
  seconds: number;
}

const SLICE = 500;

/** Runs schedules against the bug until an invariant notices it, at most this many. */
export async function huntMutant(mutant: Mutant, seed: number, schedules: number): Promise<Hunt> {
  const began = performance.now();
  const thread = new SimulatorThread(await bundleSimulator(mutant));
  let killed: Hunt['killed'] = null;
  try {
    for (let first = 0; first < schedules && killed === null; first += SLICE) {
      const count = Math.min(SLICE, schedules - first);
      const { failure } = await thread.range({ seed, first, count, stopAtViolation: true });
      if (failure !== null) killed = { schedules: failure.index + 1, ...failure.violation };
    }
  } finally {
    await thread.end();
  }
  return { mutant, killed, seconds: (performance.now() - began) / 1000 };
}
