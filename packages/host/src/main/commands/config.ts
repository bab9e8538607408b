import { hostConfigSchema } from '@rostra/protocol/config/config-schema';
import { defineCommand } from 'citty';
import { configRows } from '../config-view.ts';
import { withStoredSettings } from '../stored-settings.ts';
import { readConfiguration, startOptions } from './config-options.ts';

const check = defineCommand({
  meta: { description: 'Says whether the configuration is right; the exit code is 0 or 1.' },
  args: startOptions,
  async run({ args }) {
    const { file } = await readConfiguration(args);
    const what = file === null ? 'There is no rostra.yaml here; the defaults are' : `${file.shown} is`;
    process.stdout.write(`${what} right.\n`);
  },
});

const show = defineCommand({
  meta: { description: 'What holds, and where each value comes from: flag, env, file, store or default.' },
  args: { ...startOptions, json: { type: 'boolean', description: 'for machines' } },
  async run({ args }) {
    const rows = configRows(await withStoredSettings(await readConfiguration(args)));
    if (args.json) {
      process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
      return;
    }
    const width = Math.max(...rows.map(({ key }) => key.length));
    const wide = Math.min(Math.max(...rows.map(({ value }) => value.length)), 48);
    const lines = rows.map(({ key, value, origin }) => `${key.padEnd(width)}  ${value.padEnd(wide)}  ${origin}\n`);
    process.stdout.write(lines.join(''));
  },
});

const schema = defineCommand({
  meta: { description: 'The JSON Schema of rostra.yaml, for editors.' },
  run: () => {
    process.stdout.write(`${JSON.stringify(hostConfigSchema(), null, 2)}\n`);
  },
});

export const config = defineCommand({
  meta: { description: 'The configuration: rostra.yaml, the environment and the options.' },
  subCommands: { check, show, schema },
});
