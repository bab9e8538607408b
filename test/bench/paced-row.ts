import type { AnchorPace } from './anchor-server.ts';
import type { Bounds } from './bound.ts';
import { fineCpuOf } from './cpu.ts';
import { measurePairs, type Pair } from './measure.ts';
import type { Row } from './rows.ts';
import type { Conversation, Subject } from './subject.ts';
import { summarise } from './summary.ts';

const CLIENTS = 64;
const ROUNDS = 5;

/** How a stream is paced, in the words of the demo and of the anchor. */
export interface Pace {
  readonly about: string;
  readonly command: string;
  readonly anchor: AnchorPace;
  readonly bounds: Bounds;
}

/** One chunk in each turn of the event loop, a tick: as fast as something that comes piece by piece can come. */
export const byTurns: Pace = {
  about: 'one chunk per turn of the event loop',
  command: '/slow 50 0',
  anchor: 'by turns',
  bounds: { is: '≤', goal: 0.8, floor: 0.9 },
};

/** Slower than any group of commits. Most of the machine is at rest, and nothing is in a cache when it is needed: 015. */
export const byMilliseconds: Pace = {
  about: 'one chunk per millisecond',
  command: '/slow 50 1',
  anchor: 1,
  bounds: { is: '≤', goal: 0.8, floor: 0.9 },
};

/** Row 3: streams that come one chunk at a time, against `node:http` that writes one event at a time. */
export async function measurePaced(
  host: Subject,
  anchor: Subject,
  pace: Pace,
  say: (line: string) => void,
): Promise<Row> {
  const side = (subject: Subject, command?: string) => ({
    subject,
    clients: Array.from({ length: CLIENTS }, () => subject.connect(command)),
  });
  const tell = (pair: Pair) =>
    `${pair.host.cpuPerRun.toFixed(3)} ÷ ${pair.anchor.cpuPerRun.toFixed(3)} ms of CPU per run`;
  const { pairs, quiet } = await measurePairs(side(host, pace.command), side(anchor), tell, say);
  return {
    row: 3,
    measure: `${pace.about}, ${CLIENTS} clients, CPU per run ÷ node:http`,
    bounds: pace.bounds,
    unit: 'ms',
    quiet,
    figure: summarise(pairs.map((pair) => pair.host.cpuPerRun / pair.anchor.cpuPerRun)),
    host: summarise(pairs.map((pair) => pair.host.cpuPerRun)),
    anchor: summarise(pairs.map((pair) => pair.anchor.cpuPerRun)),
  };
}

const CHUNKS = 150;
export const MODEL_PACE_MS = 20;

/** The events of a run, drawn out to that many. */
export function drawnOut(events: unknown[]): unknown[] {
  const middle = Array.from({ length: Math.max(0, CHUNKS - events.length) }, () => events[events.length >> 1]);
  return [...events.slice(0, -1), ...middle, ...events.slice(-1)];
}

async function costOfChunk(subject: Subject, client: Conversation): Promise<number> {
  const before = fineCpuOf(subject.pid);
  await client.run();
  return ((fineCpuOf(subject.pid) - before) * 1000) / CHUNKS;
}

/**
 * Row 3, its other half: what one chunk costs the host at the pace of a real model. Most of it is waking up, which costs
 * more on some machines than on others: what `node:http` pays for it stands beside.
 */
export async function measureChunk(host: Subject, anchor: Subject, say: (line: string) => void): Promise<Row> {
  const ours = host.connect(`/slow ${CHUNKS} ${MODEL_PACE_MS}`);
  const theirs = anchor.connect();
  await ours.run();
  const pairs: { host: number; anchor: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const pair = { anchor: await costOfChunk(anchor, theirs), host: await costOfChunk(host, ours) };
    pairs.push(pair);
    say(`round ${round + 1}: ${pair.host.toFixed(0)} µs per chunk, node:http ${pair.anchor.toFixed(0)}`);
  }
  ours.close();
  theirs.close();
  return {
    row: 3,
    measure: `host CPU per chunk at ${MODEL_PACE_MS} ms per chunk`,
    bounds: { is: '≤', goal: 60, floor: null },
    unit: 'µs',
    quiet: null,
    figure: summarise(pairs.map((pair) => pair.host)),
    host: summarise(pairs.map((pair) => pair.host)),
    anchor: summarise(pairs.map((pair) => pair.anchor)),
  };
}
