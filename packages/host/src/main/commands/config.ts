import { hostConfigSchema } from '@rostra/protocol/config/config-schema';
import { defineCommand } from 'citty';
import { type ConfigRow, configRows, valueText } from '../config-view.ts';
import { withStoredSettings } from '../stored-settings.ts';
import { readConfiguration, startOptions } from './config-options.ts';
import { displayWidth, padded } from './display-width.ts';
import { jsonOption } from './host-door.ts';
import { print } from './printing.ts';

/** A value that is longer moves only its own row. */
const VALUE_MOST = 48;

const check = defineCommand({
  meta: { description: 'Says whether the configuration is right; the exit code is 0 or 1.' },
  args: { ...startOptions, ...jsonOption },
  async run({ args }) {
    const { file } = await readConfiguration(args);
    const what = file === null ? 'There is no rostra.yaml here; the defaults are' : `${file.shown} is`;
    print(args.json, { file: file?.shown ?? null, ok: true }, () => `${what} right.\n`);
  },
});

const show = defineCommand({
  meta: { description: 'What holds, and where each value comes from: flag, env, file, store or default.' },
  args: { ...startOptions, ...jsonOption },
  async run({ args }) {
    const rows = configRows(await withStoredSettings(await readConfiguration(args)));
    print(args.json, rows, () => rowsText(rows));
  },
});

function rowsText(rows: readonly ConfigRow[]): string {
  const texts = rows.map(({ key, value, origin }) => [key, valueText(value), origin] as const);
  const width = Math.max(...texts.map(([key]) => key.length));
  const wide = Math.min(Math.max(...texts.map(([, value]) => displayWidth(value))), VALUE_MOST);
  return texts.map(([key, value, origin]) => `${padded(key, width)}  ${padded(value, wide)}  ${origin}\n`).join('');
}

const schema = defineCommand({
  meta: { description: 'The JSON Schema of rostra.yaml, for editors.' },
  args: jsonOption,
  run: () => {
    process.stdout.write(`${JSON.stringify(hostConfigSchema(), null, 2)}\n`);
  },
});

export const config = defineCommand({
  meta: { description: 'The configuration: rostra.yaml, the environment and the options.' },
  subCommands: { check, show, schema },
});
