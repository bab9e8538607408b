import { parseArgs } from 'node:util';
import { Prng } from '../simulation/world/prng.ts';
import { isClean, Siege } from './siege.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '50' },
    clients: { type: 'string', default: '24' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'boolean', default: false },
  },
});

const [kills, clients, seed] = [Number(values.kills), Number(values.clients), Number(values.seed)];
if (![kills, clients, seed].every(Number.isSafeInteger) || kills < 0 || clients < 1) {
  process.stderr.write('rostra crash: --kills, --clients and --seed take whole numbers\n');
  process.exit(2);
}

const say = (line: string) => {
  process.stderr.write(`${line}\n`);
};
say(`seed ${seed}`);
const prng = new Prng(seed);
const verdict = await new Siege({ kills, clients, chance: () => prng.unit(), say }).run();
if (values.json) process.stdout.write(`${JSON.stringify({ seed, ...verdict })}\n`);
else {
  const { turns, frames, lost, unterminated, orphans } = verdict;
  const faults = `${lost} records lost, ${unterminated} turns without their one end, ${orphans} orphans`;
  process.stdout.write(`${kills} kills, ${turns} turns, ${frames} frames: ${faults}\n`);
  for (const note of verdict.notes) process.stdout.write(`  ${note}\n`);
}
process.exit(isClean(verdict) ? 0 : 1);
