import { randomUUID } from 'node:crypto';
import type { Row } from './rows.ts';
import type { HostSubject, Subject } from './subject.ts';
import { summarise } from './summary.ts';

const RECORDS = 10_000;
const CHUNKS_PER_RUN = 1000;
const SESSIONS = 5;
const ROUNDS = 5;
const WARM_UP_RUNS = 100;

async function firstEvent(host: Subject, threadId: string): Promise<number> {
  const client = host.connect('/stream 50', threadId);
  await client.run();
  client.close();
  return client.firstEvent;
}

function median(values: number[]): number {
  return summarise(values).median;
}

/** Row 9: the first answer of a session that this process has not loaded, with a long past and with none. */
export async function measureCold(
  start: (data?: string) => Promise<HostSubject>,
  say: (line: string) => void,
): Promise<Row> {
  let host = await start();
  const threads = Array.from({ length: SESSIONS }, () => randomUUID());
  const fill = async (threadId: string) => {
    const client = host.connect(`/slow ${CHUNKS_PER_RUN} 0`, threadId);
    for (let run = 0; run < RECORDS / CHUNKS_PER_RUN; run += 1) await client.run();
    client.close();
  };
  await Promise.all(threads.map(fill));
  const pairs: { host: number; anchor: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await host.kill();
    host = await start(host.data);
    const client = host.connect();
    for (let run = 0; run < WARM_UP_RUNS; run += 1) await client.run();
    client.close();
    const [old, fresh]: [number[], number[]] = [[], []];
    for (const threadId of threads) {
      fresh.push(await firstEvent(host, randomUUID()));
      old.push(await firstEvent(host, threadId));
    }
    const pair = { host: median(old), anchor: median(fresh) };
    pairs.push(pair);
    say(`round ${round + 1}: ${pair.host.toFixed(2)} ÷ ${pair.anchor.toFixed(2)} ms`);
  }
  host.stop();
  return {
    row: 9,
    measure: `first answer of a cold session with ${RECORDS} records ÷ with none`,
    bounds: { is: '≤', goal: 1.2, floor: null },
    unit: 'ms',
    quiet: null,
    figure: summarise(pairs.map((pair) => pair.host / pair.anchor)),
    host: summarise(pairs.map((pair) => pair.host)),
    anchor: summarise(pairs.map((pair) => pair.anchor)),
  };
}
