import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { auditTurns } from '../crash/audit.ts';
import { Ledger } from '../crash/ledger.ts';
import { Load } from '../crash/load.ts';
import { HostProcess } from '../e2e/host-process.ts';
import { Prng } from '../simulation/world/prng.ts';
import type { Row } from './rows.ts';
import { summarise } from './summary.ts';

const KILLS = 10;
const CLIENTS = 8;
const LIFE_MS = 1000;

function timeOfNothing(): number {
  const began = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - began;
}

/** Row 8: the host is killed under load; how soon it listens again, and what clients saw that it then has not. */
export async function measureRestart(say: (line: string) => void): Promise<Row[]> {
  const host = new HostProcess();
  const ledger = new Ledger();
  const prng = new Prng(8);
  const load = new Load(host, ledger, () => prng.unit());
  const pairs: { host: number; anchor: number }[] = [];
  try {
    await host.start();
    const work = load.run(CLIENTS);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await pause(LIFE_MS);
      await host.signal('SIGKILL');
      const anchor = timeOfNothing();
      const began = performance.now();
      await host.start();
      const pair = { host: performance.now() - began, anchor };
      pairs.push(pair);
      say(`kill ${kill + 1}: ${pair.host.toFixed(0)} ÷ ${pair.anchor.toFixed(0)} ms`);
    }
    load.stop();
    await work;
    await auditTurns(host, ledger);
  } finally {
    await host.dispose();
  }
  const common = { row: 8, quiet: null };
  const lost = summarise([ledger.lost + ledger.unterminated]);
  return [
    {
      ...common,
      measure: 'kill -9 under load, restart to listening ÷ node -e 0',
      bounds: { is: '≤', goal: 4, floor: 4 },
      unit: 'ms',
      figure: summarise(pairs.map((pair) => pair.host / pair.anchor)),
      host: summarise(pairs.map((pair) => pair.host)),
      anchor: summarise(pairs.map((pair) => pair.anchor)),
    },
    {
      ...common,
      measure: `of ${ledger.frames} frames that clients saw before ${KILLS} kills, lost`,
      bounds: { is: '≤', goal: 0, floor: 0 },
      unit: 'frames',
      figure: lost,
      host: lost,
      anchor: null,
    },
  ];
}
