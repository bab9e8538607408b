import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { hostFlags } from '../../scripts/launch/host-flags.mjs';
import { measureLatency, measureThroughput, type Row } from './rows.ts';
import { startAnchor, startHost } from './subject.ts';
import type { Summary } from './summary.ts';

const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'boolean', default: false } } });
const only = values.only === undefined ? null : Number(values.only);
if (only !== null && ![1, 2, 4].includes(only)) {
  process.stderr.write('rostra bench: --only takes 1, 2 or 4\n');
  process.exit(2);
}
const say = (line: string) => {
  process.stderr.write(`${line}\n`);
};

const programs = {
  cli: fileURLToPath(new URL('../../packages/host/dist/cli.js', import.meta.url)),
  anchor: fileURLToPath(new URL('./anchor-server.ts', import.meta.url)),
  memory: fileURLToPath(new URL('./memory-host.ts', import.meta.url)),
};

function print(rows: Row[]): void {
  if (values.json) {
    process.stdout.write(`${JSON.stringify(rows)}\n`);
    return;
  }
  const figure = ({ median, min, max }: Summary) => `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`;
  for (const row of rows) {
    const { host, anchor, unit } = row;
    process.stdout.write(
      `${row.row}  ${row.measure}: ${figure(row.figure)}, goal ${row.goal}; ${figure(host)} ÷ ${figure(anchor)} ${unit}\n`,
    );
  }
}

const rows: Row[] = [];
const host = await startHost('rostra', [...hostFlags, programs.cli, 'start']);
if (only !== 4) {
  const anchor = await startAnchor(programs.anchor, await host.sample());
  rows.push(...(await measureThroughput(host, anchor, say)));
  anchor.stop();
}
if (only === null || only === 4) {
  const memory = await startHost('rostra on memory', [...hostFlags, '--import', 'tsx', programs.memory]);
  rows.push(await measureLatency(host, memory, say));
  memory.stop();
}
host.stop();
print(rows.filter(({ row }) => only === null || row === only));
process.exit(0);
