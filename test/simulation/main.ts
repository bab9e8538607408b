import { readFileSync, writeFileSync } from 'node:fs';
import { commandLine } from '../command-line.ts';
import { bundleSimulator } from './bundle.ts';
import { findMutant } from './mutants/mutants.ts';
import { defaultJobs, type SimulationReport, SimulatorThread, shrinkFailure, simulate } from './pool.ts';
import type { Failure } from './simulator.ts';

interface ReplayFile {
  seed: number;
  schedule: number;
  mutant: string | null;
  invariant: string;
  decisions: string[];
}

const about = 'Drives sessions through schedules of faults, and looks whether every invariant holds.';
const { values, whole } = commandLine('sim', about, {
  seed: { type: 'string', default: '1', about: 'what the schedules are made from' },
  schedules: { type: 'string', default: '1000', about: 'how many' },
  jobs: { type: 'string', default: String(defaultJobs()), about: 'threads' },
  json: { type: 'boolean', default: false, about: 'the report as JSON' },
  mutant: { type: 'string', about: 'a fault that is built in on purpose' },
  out: { type: 'string', about: 'file for the first failure' },
  replay: { type: 'string', about: 'file of a failure, to see it again' },
});

function total(counts: Record<string, number>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function summary(report: SimulationReport) {
  const { schedules, messages, turns, violations, hash, seconds } = report;
  const premises = Object.values(report.premises);
  return {
    schedules,
    messages,
    faults: total(report.faults),
    turns,
    premises: `${premises.filter((count) => count > 0).length}/${premises.length}`,
    violations,
    hash,
    seconds: Number(seconds.toFixed(1)),
    per_second: Math.round(schedules / seconds),
  };
}

function describe(failure: Failure, seed: number): string {
  const { index, violation, decisions, messages } = failure;
  const file: ReplayFile = {
    seed,
    schedule: index,
    mutant: values.mutant ?? null,
    invariant: violation.invariant,
    decisions,
  };
  const lines = messages.map((line) => `  ${line.length > 300 ? `${line.slice(0, 300)}…` : line}`);
  const text = JSON.stringify(file);
  if (values.out !== undefined) writeFileSync(values.out, `${text}\n`);
  return [`${violation.invariant} broken: ${violation.what}`, `seed ${seed}, schedule ${index}`, ...lines, text].join(
    '\n',
  );
}

async function run(): Promise<number> {
  const seed = whole('seed');
  const file = await bundleSimulator(values.mutant === undefined ? null : findMutant(values.mutant));
  const jobs = whole('jobs', 1);
  const report = await simulate(file, {
    seed,
    schedules: whole('schedules'),
    jobs,
    stopAtViolation: false,
  });
  const short = summary(report);
  const failure = report.failure === null ? null : await shrinkFailure(file, seed, report.failure);
  if (values.json) {
    const { faults, premises } = report;
    console.log(JSON.stringify({ ...short, seed, faults: total(faults), fault_counts: faults, premises, failure }));
  } else {
    const line = Object.entries(short).map(([key, value]) => `${key} ${value}`);
    console.log(line.join(', '));
  }
  if (failure !== null) console.error(describe(failure, seed));
  return report.violations === 0 ? 0 : 1;
}

async function replay(path: string): Promise<number> {
  // The file is one that this program printed.
  const { seed, schedule, mutant, decisions } = JSON.parse(readFileSync(path, 'utf8')) as ReplayFile;
  const thread = new SimulatorThread(await bundleSimulator(mutant === null ? null : findMutant(mutant)));
  const { violations, log } = await thread.replay(seed, schedule, decisions);
  await thread.end();
  for (const line of log) console.log(line);
  for (const { invariant, what } of violations) console.error(`${invariant} broken: ${what}`);
  return violations.length === 0 ? 0 : 1;
}

process.exitCode = await (values.replay === undefined ? run() : replay(values.replay));
