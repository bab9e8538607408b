import { resolveFrom } from '../../config/value-expansion.ts';
import { Configuration } from '../configuration.ts';
import type { Flags } from '../settings.ts';

/** Options of every command that reads the configuration. */
export const configOptions = {
  config: { type: 'string', valueHint: 'FILE', description: 'the configuration (rostra.yaml, if there is one)' },
  data: { type: 'string', valueHint: 'FOLDER', description: 'folder of the data' },
} as const;

/** Options of `start`, which win over the environment and the file. */
export const startOptions = {
  ...configOptions,
  host: { type: 'string', valueHint: 'ADDRESS', description: 'address to bind' },
  port: { type: 'string', valueHint: 'PORT', description: 'port; 0 takes any free one' },
  durability: { type: 'string', valueHint: 'CLASS', description: '"flush" makes every record wait for the disk' },
  'log-level': { type: 'string', valueHint: 'LEVEL', description: 'debug, info, warn or error' },
} as const;

/** The data folder alone: known without reading the file if an option or a variable names it. */
export async function readDataFolder(args: Readonly<Record<string, unknown>>): Promise<string> {
  const named = typeof args.data === 'string' ? args.data : process.env.ROSTRA_DATA || null;
  return named === null ? (await readConfiguration(args)).settings.data : resolveFrom(process.cwd(), named);
}

/** The configuration as this process sees it. */
export function readConfiguration(args: Readonly<Record<string, unknown>>): Promise<Configuration> {
  const flags: Flags = Object.fromEntries(
    Object.keys(startOptions).map((name) => {
      const value = args[name];
      return [name, typeof value === 'string' ? value : undefined];
    }),
  );
  return Configuration.read({ env: process.env, flags, cwd: process.cwd() });
}
