import { fileURLToPath } from 'node:url';
import { hostFlags } from '../../scripts/launch/host-flags.mjs';
import { commandLine } from '../command-line.ts';
import { boundsText, isMet } from './bound.ts';
import { measureCold } from './cold-row.ts';
import { measureCrowd } from './crowd-row.ts';
import { measureMemory } from './memory-row.ts';
import { byMilliseconds, byTurns, drawnOut, MODEL_PACE_MS, measureChunk, measurePaced } from './paced-row.ts';
import { measureReplay } from './replay-row.ts';
import { measureRestart } from './restart-row.ts';
import { measureResumed } from './resumed-row.ts';
import { measureLatency, measureThroughput, type Row } from './rows.ts';
import { startAnchor, startHost } from './subject.ts';
import type { Summary } from './summary.ts';

const numbers = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11];
const { values, refuse } = commandLine('bench', 'Measures the built host against plain Node, row by row.', {
  only: { type: 'string', about: `one row, of ${numbers.join(', ')}` },
  json: { type: 'boolean', default: false, about: 'the rows as JSON' },
});
const only = values.only === undefined ? null : Number(values.only);
if (only !== null && !numbers.includes(only))
  refuse(`--only takes one of ${numbers.join(', ')}, not "${values.only}".`);
const say = (line: string) => {
  process.stderr.write(`${line}\n`);
};
const wanted = (...rows: number[]) => only === null || rows.includes(only);

const programs = {
  cli: fileURLToPath(new URL('../../packages/host/dist/cli.js', import.meta.url)),
  anchor: fileURLToPath(new URL('./anchor-server.ts', import.meta.url)),
  memory: fileURLToPath(new URL('./memory-host.ts', import.meta.url)),
};
const start = (data?: string) => startHost('rostra', [...hostFlags, programs.cli, 'start'], data);
const startMemory = () => startHost('rostra on memory', [...hostFlags, '--import', 'tsx', programs.memory]);

function print(rows: Row[]): void {
  if (values.json) {
    process.stdout.write(`${JSON.stringify(rows)}\n`);
    return;
  }
  const figure = ({ median, min, max }: Summary) => `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
  for (const row of rows) {
    const { host, anchor, unit } = row;
    const parts = anchor === null ? unit : `; ${figure(host)} ÷ ${figure(anchor)} ${unit}`;
    process.stdout.write(`${row.row}  ${row.measure}: ${figure(row.figure)}, ${boundsText(row.bounds)} ${parts}\n`);
  }
}

const rows: Row[] = [];
if (wanted(1, 2)) {
  const host = await start();
  const anchor = await startAnchor(programs.anchor, await host.sample());
  rows.push(...(await measureThroughput(host, anchor, say)));
  anchor.stop();
  host.stop();
}
if (wanted(3)) {
  const host = await start();
  const events = await host.sample();
  for (const pace of [byTurns, byMilliseconds]) {
    const ticking = await startAnchor(programs.anchor, events, pace.anchor);
    rows.push(await measurePaced(host, ticking, pace, say));
    ticking.stop();
  }
  const modelled = await startAnchor(programs.anchor, drawnOut(events), MODEL_PACE_MS);
  rows.push(await measureChunk(host, modelled, say));
  modelled.stop();
  host.stop();
}
if (wanted(4, 5)) {
  const host = await start();
  const memory = await startMemory();
  if (wanted(4)) rows.push(await measureLatency(host, memory, say));
  if (wanted(5)) rows.push(await measureCrowd(host, memory, say));
  memory.stop();
  host.stop();
}
if (wanted(6)) {
  const host = await start();
  const events = await host.sample();
  host.stop();
  const startHold = () => startAnchor(programs.anchor, events, 'hold');
  rows.push(...(await measureMemory({ startHost: () => start(), startAnchor: startHold }, say)));
}
if (wanted(7)) rows.push(await measureReplay(start, say));
if (wanted(8)) rows.push(...(await measureRestart(say)));
if (wanted(9)) rows.push(await measureCold(start, say));
if (wanted(11)) rows.push(await measureResumed(start, say));
const shown = rows.filter(({ row }) => only === null || row === only);
print(shown);
const missed = shown.filter(({ bounds, figure }) => !isMet(bounds, figure.median));
for (const { row, measure, bounds, instead } of missed) {
  say(`Row ${row} is missed: ${measure}, ${boundsText(bounds)}${instead === undefined ? '' : `; ${instead}`}.`);
}
process.exit(missed.some(({ instead }) => instead === undefined) ? 1 : 0);
