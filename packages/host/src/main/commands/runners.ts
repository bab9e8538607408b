import { defineCommand } from 'citty';
import type { PackageStatus } from '../../discovery/runner-pool.ts';
import { MANY } from '../command-line.ts';
import { configOptions, readConfiguration } from './config-options.ts';
import { jsonOption } from './host-door.ts';
import { print, shown, table } from './printing.ts';

const check = defineCommand({
  meta: {
    description: 'Says which promises of the runner protocol a command keeps: rostra runners check -- COMMAND…',
  },
  args: {
    runner: { type: 'string', valueHint: 'ID', description: 'which runner of the package (the first one)' },
    input: { type: 'string', valueHint: 'TEXT', description: 'what a plain run is asked ("hello")' },
    flood: { type: 'string', valueHint: 'TEXT', description: 'an input that makes it say more than 256 results' },
    timeout: { type: 'string', valueHint: 'SECONDS', description: 'how long one run may take (30)' },
    ...jsonOption,
    command: {
      type: 'positional',
      valueHint: MANY,
      description: 'the command that starts the runner, behind -- where it has options',
    },
  },
  async run({ args }) {
    const { runCheck } = await import('../runner-check.ts');
    process.exitCode = await runCheck({ ...args, command: args._ });
  },
});

const list = defineCommand({
  meta: { description: 'What is configured or found: each package is started, asked what it offers, and stopped.' },
  args: { ...configOptions, ...jsonOption },
  async run({ args }) {
    const { listRunners } = await import('../runner-list.ts');
    const found = await listRunners(await readConfiguration(args));
    print(args.json, found, () => listText(found));
  },
});

function listText(found: readonly PackageStatus[]): string {
  const rows = found.map(({ name, state, isolation, origin, processes, runners: offered, source }) => {
    const level = isolation ?? (origin === 'remote' ? 'remote' : '–');
    return [
      name,
      state,
      level,
      processes,
      offered.map(({ name: label, id }) => `${label} (${id})`).join(', ') || '–',
      source,
    ];
  });
  const empty = 'No runner is configured.\n→ Name one in rostra.yaml: runners: [./my-runner]';
  const reasons = found.flatMap(({ name, reason }) => (reason === null ? [] : [`${name}: ${shown(reason)}\n`]));
  const head = ['package', 'state', 'isolation', 'processes', 'runners', 'source'];
  return `${table(head, rows, empty)}${reasons.length > 0 ? '\n' : ''}${reasons.join('')}`;
}

export const runners = defineCommand({
  meta: { description: 'Runners: what a host would find, and whether a command is one.' },
  subCommands: { list, check },
});
