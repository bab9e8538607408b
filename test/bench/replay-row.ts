import { randomUUID } from 'node:crypto';
import { connect as dial } from 'node:net';
import { join } from 'node:path';
import { limits } from '@rostra/protocol/wire/limits';
import { connect } from '../../packages/host/src/store/sqlite/driver.ts';
import type { Row } from './rows.ts';
import type { HostSubject } from './subject.ts';
import { summarise } from './summary.ts';

/** Pieces that come faster share a record, and a SELECT of fewer rows says less. */
const PACE_MS = limits.gather + 7;
const RUNS = 20;
const CHUNKS_PER_RUN = 1000;
const ROUNDS = 7;
const WARM_UP_ROUNDS = 2;

const END = '\r\n0\r\n\r\n';

/** Reads a stream to its end and keeps nothing: whoever measures must not be what is measured. */
function drain(host: HostSubject, path: string, count: boolean): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = dial(host.port, '127.0.0.1');
    let events = 0;
    let tail = '';
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      if (count) events += text.split('\ndata: ').length - 1;
      tail = (tail + text).slice(-END.length);
      if (tail !== END) return;
      socket.destroy();
      resolve(events);
    });
    socket.on('error', reject);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${host.headers}\r\n`);
  });
}

/** The same records by SQL and nothing else: selected and parsed. */
async function select(data: string): Promise<{ read(): number; close(): void }> {
  const db = await connect(join(data, 'rostra.db'), { readOnly: true });
  const all = db.prepare('SELECT body FROM segment ORDER BY session, first_seq');
  const read = () => {
    let records = 0;
    for (const { body } of all.all()) {
      for (const line of String(body).split('\n')) {
        if (line === '') continue;
        JSON.parse(line);
        records += 1;
      }
    }
    return records;
  };
  // Whoever lets go of a database closes it.
  return { read, close: () => db.close() };
}

/** Row 7: runs that are over, read again from their start, against a SELECT of the rows that they stand in. */
export async function measureReplay(
  start: (data?: string) => Promise<HostSubject>,
  say: (line: string) => void,
): Promise<Row> {
  let host = await start();
  const paths: string[] = [];
  const fill = async () => {
    const client = host.connect(`/slow ${CHUNKS_PER_RUN} ${PACE_MS}`, randomUUID());
    await client.run();
    const taskId = /"taskId":"([^"]+)"/.exec(client.text)?.[1];
    paths.push(`/api/v1/agent/runs/${taskId}/events`);
    client.close();
  };
  await Promise.all(Array.from({ length: RUNS }, fill));
  // What was said is in no memory then.
  await host.kill();
  host = await start(host.data);
  const rows = await select(host.data);
  let events = 0;
  for (const path of paths) events += await drain(host, path, true);
  const pairs: { host: number; anchor: number }[] = [];
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round += 1) {
    const began = performance.now();
    const records = rows.read();
    const selected = performance.now();
    for (const path of paths) await drain(host, path, false);
    const replayed = performance.now();
    if (round < WARM_UP_ROUNDS) continue;
    const pair = { host: events / (replayed - selected), anchor: events / (selected - began) };
    pairs.push(pair);
    say(
      `round ${pairs.length}: ${events} events of ${records} records, ${pair.host.toFixed(0)} ÷ ${pair.anchor.toFixed(0)} per ms`,
    );
  }
  rows.close();
  host.stop();
  return {
    row: 7,
    measure: 'replay over HTTP ÷ SELECT and parse of the same rows',
    bounds: { is: '≥', goal: 0.4, floor: 0.4 },
    unit: 'events/ms',
    quiet: null,
    figure: summarise(pairs.map((pair) => pair.host / pair.anchor)),
    host: summarise(pairs.map((pair) => pair.host)),
    anchor: summarise(pairs.map((pair) => pair.anchor)),
  };
}
