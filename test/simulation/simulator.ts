/** Runs schedules inside a worker thread: a range of them, one of them again, or one shrunken. */

import { parentPort } from 'node:worker_threads';
import { stepInvariants, type Violation } from './invariants/oracle.ts';
import { shrink } from './shrinking.ts';
import { type FaultKind, faultKinds, faultName } from './world/fault-kind.ts';
import { runSchedule, scheduleSeed } from './world/schedule.ts';

export interface RangeRequest {
  seed: number;
  first: number;
  count: number;
  /** Ends at the first violation. */
  stopAtViolation: boolean;
}

export interface Failure {
  index: number;
  violation: Violation;
  /** The decisions that are needed for it, and the messages that they make. */
  decisions: string[];
  messages: string[];
}

export interface RangeReport {
  schedules: number;
  messages: number;
  turns: number;
  violations: number;
  faults: Record<string, number>;
  premises: Record<string, number>;
  hashes: number[];
  failure: Failure | null;
}

/** Every condition that must have occurred. */
function expectedPremises(): string[] {
  const steps = stepInvariants.flatMap(({ id, parts = [] }) => [id, ...parts.map((part) => `${id}.${part}`)]);
  const whole = [
    'C1',
    'C1.refused',
    'C3',
    'C4',
    'C4.refused',
    'D1',
    'D2',
    'D3',
    'D3.announce',
    'D3.answer',
    'D4',
    'O6.transcript',
  ];
  const logs = ['L1', 'L2', 'L3', 'L4', 'L5', 'L5.inbox', 'L6', 'T10.said', 'V1', 'V2', 'V3', 'V4'];
  return [...steps, ...whole, ...logs];
}

const names = new Map((Object.keys(faultKinds) as FaultKind[]).map((kind) => [kind, faultName(kind)]));

function sum(into: Record<string, number>, counts: ReadonlyMap<string, number>): void {
  for (const [key, count] of counts) into[key] = (into[key] ?? 0) + count;
}

function runRange(request: RangeRequest): RangeReport {
  const premises = Object.fromEntries(expectedPremises().map((id) => [id, 0]));
  const report: RangeReport = {
    schedules: 0,
    messages: 0,
    turns: 0,
    violations: 0,
    faults: Object.fromEntries([...names.values()].map((name) => [name, 0])),
    premises,
    hashes: [],
    failure: null,
  };
  for (let index = request.first; index < request.first + request.count; index += 1) {
    const result = runSchedule(scheduleSeed(request.seed, index));
    report.schedules += 1;
    report.messages += result.messages;
    report.turns += result.turns;
    report.violations += result.violations.length;
    report.hashes.push(result.hash);
    for (const [kind, count] of result.faults) {
      const name = names.get(kind) ?? kind;
      report.faults[name] = (report.faults[name] ?? 0) + count;
    }
    sum(report.premises, result.premises);
    const [violation] = result.violations;
    if (violation === undefined || report.failure !== null) continue;
    report.failure = { index, violation, decisions: result.decisions, messages: [] };
    if (request.stopAtViolation) break;
  }
  return report;
}

export interface ReplayReport {
  violations: Violation[];
  log: string[];
}

/** Runs one schedule with these decisions only, and says what it did. */
function replay(seed: number, index: number, decisions: string[] | null): ReplayReport {
  const { violations, log } = runSchedule(scheduleSeed(seed, index), decisions);
  return { violations, log: log() };
}

export type SimulatorRequest =
  | { kind: 'range'; request: RangeRequest }
  | { kind: 'shrink'; seed: number; failure: Failure }
  | { kind: 'replay'; seed: number; index: number; decisions: string[] | null };

/** Refusals are everyday in a schedule, and nobody reads where they came from until one is run for people. */
const { stackTraceLimit } = Error;

parentPort?.on('message', (request: SimulatorRequest) => {
  Error.stackTraceLimit = request.kind === 'range' ? 0 : stackTraceLimit;
  if (request.kind === 'range') parentPort?.postMessage(runRange(request.request));
  if (request.kind === 'shrink') parentPort?.postMessage(shrink(request.seed, request.failure));
  if (request.kind === 'replay') parentPort?.postMessage(replay(request.seed, request.index, request.decisions));
});
