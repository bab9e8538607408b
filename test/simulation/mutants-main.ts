import { commandLine } from '../command-line.ts';
import { type Hunt, huntMutant } from './mutants/hunt.ts';
import type { Mutant } from './mutants/mutant.ts';
import { findMutant, mutants } from './mutants/mutants.ts';
import { defaultJobs } from './pool.ts';

const { values, whole } = commandLine(
  'sim:mutants',
  'Breaks the rules of a session one by one: the simulation must notice.',
  {
    only: { type: 'string', about: 'some of them, by their ids with commas' },
    schedules: { type: 'string', default: '20000', about: 'how many to look through for each' },
    seed: { type: 'string', default: '1', about: 'what they are made from' },
    jobs: { type: 'string', default: String(defaultJobs()), about: 'threads' },
    json: { type: 'boolean', default: false, about: 'the outcome as JSON' },
  },
);

const [seed, schedules] = [whole('seed'), whole('schedules', 1)];

function tell(hunt: Hunt): void {
  const { mutant, killed, seconds } = hunt;
  const fate =
    killed === null
      ? `SURVIVED ${schedules} schedules`
      : `killed after ${killed.schedules} schedules by ${killed.invariant}: ${killed.what.split('\n')[0]?.slice(0, 110)}`;
  console.log(`${mutant.id.padEnd(32)} ${`${seconds.toFixed(1)} s`.padStart(8)}  ${fate}`);
}

const queue: Mutant[] = values.only === undefined ? [...mutants] : values.only.split(',').map(findMutant);
const hunts: Hunt[] = [];
const began = performance.now();

async function work(): Promise<void> {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const hunt = await huntMutant(mutant, seed, schedules);
    hunts.push(hunt);
    if (!values.json) tell(hunt);
  }
}

await Promise.all(Array.from({ length: whole('jobs', 1) }, work));
const survivors = hunts.filter(({ killed }) => killed === null).map(({ mutant }) => mutant.id);
if (values.json) console.log(JSON.stringify({ mutants: hunts.length, survivors, hunts }));
else {
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  console.log(`${hunts.length} mutants, ${survivors.length} survived, ${seconds} s ${survivors.join(' ')}`);
}
process.exitCode = survivors.length === 0 ? 0 : 1;
