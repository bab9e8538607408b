import { randomUUID } from 'node:crypto';
import { measureLoad, type Round } from './measure.ts';
import type { Row } from './rows.ts';
import type { HostSubject } from './subject.ts';
import { summarise } from './summary.ts';

const CLIENTS = 64;
const ROUNDS = 5;
const SECONDS = 3;
const PAST_SECONDS = 6;
const WARM_UP_ROUNDS = 2;

/** Row 11: what a host does a day after its start: a crowd in sessions that an earlier one began, and one in new ones. */
export async function measureResumed(
  start: (data?: string) => Promise<HostSubject>,
  say: (line: string) => void,
): Promise<Row> {
  const threads = Array.from({ length: CLIENTS }, () => randomUUID());
  const earlier = await start();
  const past = threads.map((threadId) => earlier.connect('/stream 50', threadId));
  await measureLoad(earlier, past, PAST_SECONDS);
  await earlier.kill();
  const host = await start(earlier.data);
  const resumed = threads.map((threadId) => host.connect('/stream 50', threadId));
  const fresh = threads.map(() => host.connect());
  // In turns, like the rounds: a server closes connections that are idle for some seconds.
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    for (const crowd of [fresh, resumed]) await measureLoad(host, crowd, SECONDS);
  }
  const pairs: { host: Round; anchor: Round }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const pair = { anchor: await measureLoad(host, fresh, SECONDS), host: await measureLoad(host, resumed, SECONDS) };
    pairs.push(pair);
    say(
      `round ${round + 1}: ${pair.host.runsPerSecond.toFixed(0)} ÷ ${pair.anchor.runsPerSecond.toFixed(0)} runs/s, p99 ${pair.host.firstEventP99.toFixed(0)} ÷ ${pair.anchor.firstEventP99.toFixed(0)} ms`,
    );
  }
  for (const client of [...resumed, ...fresh]) client.close();
  host.stop();
  return {
    row: 11,
    measure: `runs/s at ${CLIENTS} clients in sessions of an earlier start ÷ in new ones`,
    bounds: { is: '≥', goal: 1, floor: 0.9 },
    unit: 'runs/s',
    quiet: null,
    figure: summarise(pairs.map((pair) => pair.host.runsPerSecond / pair.anchor.runsPerSecond)),
    host: summarise(pairs.map((pair) => pair.host.runsPerSecond)),
    anchor: summarise(pairs.map((pair) => pair.anchor.runsPerSecond)),
  };
}
