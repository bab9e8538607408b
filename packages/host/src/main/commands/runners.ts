import { defineCommand } from 'citty';
import { MANY } from '../command-line.ts';
import { configOptions, readConfiguration } from './config-options.ts';

const check = defineCommand({
  meta: {
    description: 'Says which promises of the runner protocol a command keeps: rostra runners check -- COMMAND…',
  },
  args: {
    runner: { type: 'string', valueHint: 'ID', description: 'which runner of the package (the first one)' },
    input: { type: 'string', valueHint: 'TEXT', description: 'what a plain run is asked ("hello")' },
    flood: { type: 'string', valueHint: 'TEXT', description: 'an input that makes it say more than 256 results' },
    timeout: { type: 'string', valueHint: 'SECONDS', description: 'how long one run may take (30)' },
    json: { type: 'boolean', description: 'for machines' },
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
  args: { ...configOptions, json: { type: 'boolean', description: 'for machines' } },
  async run({ args }) {
    const { listRunners, listText } = await import('../runner-list.ts');
    const found = await listRunners(await readConfiguration(args));
    process.stdout.write(args.json ? `${JSON.stringify(found, null, 2)}\n` : listText(found));
  },
});

export const runners = defineCommand({
  meta: { description: 'Runners: what a host would find, and whether a command is one.' },
  subCommands: { list, check },
});
