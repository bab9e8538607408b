import { commandLine } from '../command-line.ts';
import { Prng } from '../simulation/world/prng.ts';
import { isClean, Siege } from './siege.ts';

const about = 'Kills the real host under load, again and again, and counts what was lost.';
const { values, whole } = commandLine('crash', about, {
  kills: { type: 'string', default: '50', about: 'how often' },
  clients: { type: 'string', default: '24', about: 'how many talk to it meanwhile' },
  seed: {
    type: 'string',
    default: String(Date.now() % 1_000_000),
    about: 'what decides when and where; another each time',
  },
  json: { type: 'boolean', default: false, about: 'the verdict as JSON' },
});
const [kills, clients, seed] = [whole('kills'), whole('clients', 1), whole('seed')];

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
