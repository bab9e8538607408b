import { measureLoad } from './measure.ts';
import type { Row } from './rows.ts';
import type { Subject } from './subject.ts';
import { summarise } from './summary.ts';

const CLIENTS = 64;
const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_ROUNDS = 3;

/** Row 5: what durability costs the slowest of many clients before it sees anything. */
export async function measureCrowd(host: Subject, memory: Subject, say: (line: string) => void): Promise<Row> {
  const ours = Array.from({ length: CLIENTS }, () => host.connect());
  const theirs = Array.from({ length: CLIENTS }, () => memory.connect());
  // In turns, like the rounds: a server closes connections that are idle for some seconds.
  for (let round = 0; round < WARM_UP_ROUNDS; round += 1) {
    await measureLoad(host, ours, SECONDS);
    await measureLoad(memory, theirs, SECONDS);
  }
  const pairs: { host: number; anchor: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const durable = (await measureLoad(host, ours, SECONDS)).firstEventP99;
    const pair = { host: durable, anchor: (await measureLoad(memory, theirs, SECONDS)).firstEventP99 };
    pairs.push(pair);
    say(`round ${round + 1}: ${pair.host.toFixed(1)} ÷ ${pair.anchor.toFixed(1)} ms`);
  }
  for (const client of [...ours, ...theirs]) client.close();
  return {
    row: 5,
    measure: `time to first event, ${CLIENTS} clients, p99 ÷ memory store`,
    bounds: { is: '≤', goal: 2, floor: 2.5 },
    unit: 'ms',
    quiet: null,
    figure: summarise(pairs.map((pair) => pair.host / pair.anchor)),
    host: summarise(pairs.map((pair) => pair.host)),
    anchor: summarise(pairs.map((pair) => pair.anchor)),
  };
}
