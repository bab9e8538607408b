import { availableParallelism } from 'node:os';
import type { Bounds } from './bound.ts';
import { measureFirstEvent, measurePairs, type Pair, type Round } from './measure.ts';
import type { Subject } from './subject.ts';
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
/** With fewer cores the load and the host get into each other's way: what a run costs is then what decides. */
const CORES_MIN = 4;

/** Rows 1 and 2: the same load on the host and on plain `node:http`, in turns. */
export async function measureThroughput(host: Subject, anchor: Subject, say: (line: string) => void): Promise<Row[]> {
  const side = (subject: Subject) => ({ subject, clients: Array.from({ length: CLIENTS }, () => subject.connect()) });
  const tell = (pair: Pair) => `${pair.host.runsPerSecond.toFixed(0)} ÷ ${pair.anchor.runsPerSecond.toFixed(0)} runs/s`;
  const { pairs, quiet } = await measurePairs(side(host), side(anchor), tell, say);
  const row = (number: number, measure: string, bounds: Bounds, unit: string, of: (round: Round) => number): Row => ({
    row: number,
    measure,
    bounds,
    unit,
    quiet,
    figure: summarise(pairs.map((pair) => of(pair.host) / of(pair.anchor))),
    host: summarise(pairs.map((pair) => of(pair.host))),
    anchor: summarise(pairs.map((pair) => of(pair.anchor))),
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
