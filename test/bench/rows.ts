import { availableParallelism } from 'node:os';
import type { Bounds } from './bound.ts';
import { measureFirstEvent, measureLoad, type Round, warmUp } from './measure.ts';
import type { Conversation, Subject } from './subject.ts';
import { type Summary, summarise } from './summary.ts';

export interface Row {
  row: number;
  measure: string;
  bounds: Bounds;
  figure: Summary;
  host: Summary;
  /** Null for a figure that is no ratio. */
  anchor: Summary | null;
  unit: string;
  /** Why it does not decide here: on few cores another row says the same, and better. */
  instead?: string;
  /** False when other programs disturbed every round: the figures are then of disturbed ones. Null: not looked at. */
  quiet: boolean | null;
}

const CLIENTS = 64;
const ROUNDS = 9;
const TRIES = 21;
const SECONDS = 3;
/** With fewer cores the load and the host get into each other's way: what a run costs is then what decides. */
const CORES_MIN = 4;
/** A round in which other programs took more than this many cores says nothing. */
const DISTURBED = 0.25;

/** Rows 1 and 2: the same load on the host and on plain `node:http`, in turns. */
export async function measureThroughput(host: Subject, anchor: Subject, say: (line: string) => void): Promise<Row[]> {
  const connect = (subject: Subject): Conversation[] => Array.from({ length: CLIENTS }, () => subject.connect());
  const [ours, theirs] = [connect(host), connect(anchor)];
  await warmUp(host, ours, anchor, theirs);
  const all: { host: Round; anchor: Round }[] = [];
  const undisturbed: typeof all = [];
  for (let round = 0; round < TRIES && undisturbed.length < ROUNDS; round += 1) {
    const pair = { anchor: await measureLoad(anchor, theirs, SECONDS), host: await measureLoad(host, ours, SECONDS) };
    const quiet = Math.max(pair.anchor.disturbance, pair.host.disturbance) <= DISTURBED;
    all.push(pair);
    if (quiet) undisturbed.push(pair);
    const dropped = quiet ? '' : ' (dropped: the machine was busy)';
    say(
      `round ${round + 1}: ${pair.host.runsPerSecond.toFixed(0)} ÷ ${pair.anchor.runsPerSecond.toFixed(0)} runs/s${dropped}`,
    );
  }
  for (const client of [...ours, ...theirs]) client.close();
  const rounds = undisturbed.length > 0 ? undisturbed : all;
  if (undisturbed.length < ROUNDS) say(`Only ${undisturbed.length} rounds were quiet: do not trust these figures.`);
  const row = (number: number, measure: string, bounds: Bounds, unit: string, of: (round: Round) => number): Row => ({
    row: number,
    measure,
    bounds,
    unit,
    quiet: undisturbed.length > 0,
    figure: summarise(rounds.map((pair) => of(pair.host) / of(pair.anchor))),
    host: summarise(rounds.map((pair) => of(pair.host))),
    anchor: summarise(rounds.map((pair) => of(pair.anchor))),
  });
  const bounds: Bounds = { is: '≥', goal: 0.6, floor: 0.5 };
  const cores = availableParallelism();
  return [
    {
      ...row(1, `runs/s at ${CLIENTS} clients ÷ node:http`, bounds, 'runs/s', (round) => round.runsPerSecond),
      ...(cores < CORES_MIN ? { instead: `row 2 decides on a machine with ${cores} cores` } : {}),
    },
    row(2, 'CPU per run ÷ node:http', { is: '≤', goal: 2.5, floor: 3 }, 'ms', (round) => round.cpuPerRun),
  ];
}

const LONE_RUNS = 200;

/** Row 4: what durability costs a lone client before it sees anything. */
export async function measureLatency(host: Subject, memory: Subject, say: (line: string) => void): Promise<Row> {
  const [ours, theirs] = [host.connect(), memory.connect()];
  await measureFirstEvent(ours, LONE_RUNS);
  await measureFirstEvent(theirs, LONE_RUNS);
  const pairs: { host: number; anchor: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const anchor = await measureFirstEvent(theirs, LONE_RUNS);
    const pair = { host: await measureFirstEvent(ours, LONE_RUNS), anchor };
    pairs.push(pair);
    say(`round ${round + 1}: ${pair.host.toFixed(2)} ÷ ${pair.anchor.toFixed(2)} ms`);
  }
  ours.close();
  theirs.close();
  return {
    row: 4,
    measure: 'time to first event, 1 client, p50 ÷ memory store',
    bounds: { is: '≤', goal: 2.5, floor: 2.5 },
    unit: 'ms',
    quiet: null,
    figure: summarise(pairs.map((pair) => pair.host / pair.anchor)),
    host: summarise(pairs.map((pair) => pair.host)),
    anchor: summarise(pairs.map((pair) => pair.anchor)),
  };
}
