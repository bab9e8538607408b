/** `npm run sim:mutants [--only ID] [--schedules N] [--jobs J] [--json]` */

import { parseArgs } from 'node:util';
import { type Hunt, huntMutant } from './mutants/hunt.ts';
import type { Mutant } from './mutants/mutant.ts';
import { findMutant, mutants } from './mutants/mutants.ts';
import { defaultJobs } from './pool.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    schedules: { type: 'string', default: '20000' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(defaultJobs()) },
    json: { type: 'boolean', default: false },
  },
});

function tell(hunt: Hunt): void {
  const { mutant, killed, seconds } = hunt;
  const fate =
    killed === null
      ? `SURVIVED ${values.schedules} schedules`
      : `killed after ${killed.schedules} schedules by ${killed.invariant}: ${killed.what.split('\n')[0]?.slice(0, 110)}`;
  console.log(`${mutant.id.padEnd(32)} ${`${seconds.toFixed(1)} s`.padStart(8)}  ${fate}`);
}

const queue: Mutant[] = values.only === undefined ? [...mutants] : values.only.split(',').map(findMutant);
const hunts: Hunt[] = [];
const began = performance.now();

async function work(): Promise<void> {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const hunt = await huntMutant(mutant, Number(values.seed), Number(values.schedules));
    hunts.push(hunt);
    if (!values.json) tell(hunt);
  }
}

await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, work));
const survivors = hunts.filter(({ killed }) => killed === null).map(({ mutant }) => mutant.id);
if (values.json) console.log(JSON.stringify({ mutants: hunts.length, survivors, hunts }));
else {
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(`${hunts.length} mutants, ${survivors.length} survived, ${seconds} s ${survivors.join(' ')}`);
}
process.exitCode = survivors.length === 0 ? 0 : 1;
