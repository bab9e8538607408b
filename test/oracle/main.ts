import { availableParallelism } from 'node:os';
import { commandLine } from '../command-line.ts';
import { bundleOracle } from './bundle.ts';
import { mutants } from './mutants.ts';
import { consult } from './pool.ts';
import type { TrialReport } from './trial.ts';

const about =
  'Asks the gate for everything that any grant allows or not, and compares with a plain reading of the rules.';
const { values, whole } = commandLine('oracle', about, {
  calls: { type: 'string', default: '1000000', about: 'how many calls' },
  seed: { type: 'string', default: '1', about: 'what they are made from' },
  jobs: { type: 'string', default: String(availableParallelism()), about: 'threads' },
  json: { type: 'boolean', default: false, about: 'the outcome as JSON' },
  mutants: { type: 'boolean', default: false, about: 'whether broken gates are noticed' },
});
const options = { seed: whole('seed', 1), calls: whole('calls', 1), jobs: whole('jobs', 1) };

/** Outcomes over all methods. */
function counted({ outcomes }: TrialReport): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const [name, count] of Object.entries(outcomes)) {
    const outcome = name.slice(name.indexOf(' ') + 1);
    counts[outcome] = (counts[outcome] ?? 0) + count;
  }
  return counts;
}

async function agree(): Promise<boolean> {
  const file = await bundleOracle();
  const began = performance.now();
  const report = await consult(file, options);
  const seconds = (performance.now() - began) / 1000;
  const { calls, failed_runs, disagreements } = report;
  const summary = {
    calls,
    seed: options.seed,
    disagreements: disagreements.length,
    failed_runs,
    seconds: Number(seconds.toFixed(1)),
    per_second: Math.round(calls / seconds),
    outcomes: counted(report),
  };
  if (values.json)
    console.log(JSON.stringify({ ...summary, by_method: report.outcomes, first: disagreements[0] ?? null }));
  else {
    const { outcomes, ...rest } = summary;
    const told = Object.entries({ ...rest, ...outcomes }).map(([name, value]) => `${name} ${value}`);
    console.log(told.join(', '));
  }
  for (const { trial, call, what } of disagreements.slice(0, 3)) {
    console.error(`trial ${trial} of seed ${options.seed}: ${what}\n  ${JSON.stringify(call).slice(0, 600)}`);
  }
  return disagreements.length === 0;
}

/** Every bug must be found within the calls. */
async function hunt(): Promise<boolean> {
  const survivors: string[] = [];
  for (const mutant of mutants) {
    const { calls, disagreements } = await consult(await bundleOracle(mutant), options);
    const [first] = disagreements;
    if (first === undefined) survivors.push(mutant.id);
    console.log(
      first === undefined ? `${mutant.id} lives after ${calls} calls` : `${mutant.id} is found: ${first.what}`,
    );
  }
  console.log(`${mutants.length - survivors.length} of ${mutants.length} bugs found`);
  return survivors.length === 0;
}

process.exitCode = (await (values.mutants ? hunt() : agree())) ? 0 : 1;
