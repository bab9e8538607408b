import { existsSync } from 'node:fs';
import path from 'node:path';
import { type ConfigPath, checkHostConfig } from '@rostra/protocol/config/config-problem';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import type { Json } from '@rostra/protocol/wire/json';
import { configError, type Place } from '../config/config-error.ts';
import { type ConfigFile, readConfigFile } from '../config/config-file.ts';
import { merged, valueAt, withValue } from '../config/config-tree.ts';
import { resolveFrom } from '../config/value-expansion.ts';
import { isLoopback } from '../http/boundary.ts';
import { checkValues, type Environment, type Flags, type Override, readOverrides, type Settings } from './settings.ts';

const DEFAULT_FILE = 'rostra.yaml';

/** Where a value comes from, the strongest first. */
export type ConfigOrigin =
  | { readonly from: 'flag' | 'env'; readonly name: string }
  | { readonly from: 'file'; readonly place: Place }
  | { readonly from: 'store' | 'default' };

/** What the configuration is read from; the same again for a reload. */
export interface ConfigSources {
  readonly env: Environment;
  readonly flags: Flags;
  readonly cwd: string;
}

/** Settings that were made at run time, by their dotted paths. */
export type StoredSettings = ReadonlyMap<string, Json>;

/** What holds: options over variables over the file over the store over the defaults. */
export class Configuration {
  readonly config: HostConfig;
  readonly file: ConfigFile | null;
  readonly #sources: ConfigSources;
  readonly #overrides: readonly Override[];
  readonly #stored: StoredSettings;

  private constructor(
    sources: ConfigSources,
    file: ConfigFile | null,
    overrides: readonly Override[],
    stored: StoredSettings,
  ) {
    this.#sources = sources;
    this.file = file;
    this.#overrides = overrides;
    this.#stored = stored;
    let tree: Json = {};
    for (const [name, value] of stored) tree = withValue(tree, name.split('.'), value);
    tree = merged(tree, file?.value);
    for (const { path: at, value } of overrides) tree = withValue(tree, at, value);
    const checked = checkHostConfig(tree);
    // Each layer was checked before it came here, and laying one over another makes no new values.
    if ('problems' in checked)
      throw new Error(`layers that are right make a wrong whole: ${JSON.stringify(checked.problems)}`);
    this.config = checked.config;
    this.#refuseOpenDoor();
  }

  static async read(sources: ConfigSources): Promise<Configuration> {
    const overrides = readOverrides(sources.env, sources.flags);
    const file = configFileOf(sources);
    if (file === null) return new Configuration(sources, null, overrides, new Map());
    // Only a file can name entries, and reading their times is more than most hosts ever need.
    const { checkEntries } = await import('./entry-values.ts');
    const check = (config: HostConfig) => [...checkValues(config), ...checkEntries(config)];
    const read = await readConfigFile({ ...file, env: sources.env, check });
    return new Configuration(sources, read, overrides, new Map());
  }

  /** Read anew from the same places. */
  again(): Promise<Configuration> {
    return Configuration.read(this.#sources);
  }

  withStored(stored: StoredSettings): Configuration {
    if (stored.size === 0 && this.#stored.size === 0) return this;
    return new Configuration(this.#sources, this.file, this.#overrides, stored);
  }

  /** The variables that it was read from. */
  get environment(): Environment {
    return this.#sources.env;
  }

  /** What relative paths of the file are seen from. */
  get folder(): string {
    return this.file === null ? this.#sources.cwd : path.dirname(this.file.path);
  }

  originOf(at: ConfigPath): ConfigOrigin {
    const override = this.#overrides.find(
      ({ path: own }) => own.length <= at.length && own.every((part, n) => part === at[n]),
    );
    if (override !== undefined) return { from: override.from, name: override.name };
    if (this.file !== null && valueAt(this.file.value, at) !== undefined)
      return { from: 'file', place: this.file.placeOf(at) };
    const isStored = [...this.#stored.keys()].some(
      (name) => at.join('.') === name || at.join('.').startsWith(`${name}.`),
    );
    return { from: isStored ? 'store' : 'default' };
  }

  /** What the start itself needs, with paths made whole. */
  get settings(): Settings {
    const { server, data, auth } = this.config;
    const isSetByFile = this.originOf(['data', 'folder']).from === 'file';
    return {
      host: server.host,
      port: server.port,
      port_is_explicit: this.originOf(['server', 'port']).from !== 'default',
      public_url: server.public_url?.replace(/\/$/, '') ?? null,
      data: resolveFrom(isSetByFile ? this.folder : this.#sources.cwd, data.folder),
      api_key: auth.api_key,
      api_key_from: auth.api_key === null ? null : this.#nameOf(['auth', 'api_key']),
      durability: data.durability,
      hosts: server.hosts,
      origins: server.origins,
    };
  }

  /** How the log is kept; its file is seen from the configuration's. */
  get log(): HostConfig['log'] {
    const { file, ...rest } = this.config.log;
    return { ...rest, file: file === null ? null : resolveFrom(this.folder, file) };
  }

  /** How a person knows the place of a value. */
  #nameOf(at: ConfigPath): string {
    const origin = this.originOf(at);
    if ('name' in origin) return origin.name;
    return this.file === null ? at.join('.') : `${at.join('.')} of ${this.file.shown}`;
  }

  /** Whoever can be reached by others must know them by a key that was chosen on purpose. */
  #refuseOpenDoor(): void {
    const { host } = this.config.server;
    const { api_key, keys, jwt } = this.config.auth;
    if (isLoopback(host) || api_key !== null || keys.length > 0 || jwt !== null) return;
    const origin = this.originOf(['server', 'host']);
    if (origin.from === 'file') {
      throw configError(this.file?.shown ?? '', [
        {
          place: origin.place,
          sentence: `server.host can be reached from other machines, and neither auth.api_key nor auth.keys nor auth.jwt is set.`,
        },
      ]);
    }
    const name = 'name' in origin ? origin.name : 'server.host';
    throw new ApiError(
      'invalid_argument',
      `${name}=${host} can be reached from other machines, and no ROSTRA_API_KEY is set.`,
      {
        details: {
          hint: `Set ROSTRA_API_KEY to a long random text, or ${name === 'ROSTRA_HOST' ? 'unset ROSTRA_HOST' : `leave out ${name}`} to serve this machine only.`,
        },
      },
    );
  }
}

/** The file that was named, or `rostra.yaml` if there is one here. */
function configFileOf({ env, flags, cwd }: ConfigSources): { path: string; shown: string } | null {
  const named = flags.config ?? (env.ROSTRA_CONFIG || undefined);
  if (named !== undefined) return { path: resolveFrom(cwd, named), shown: named };
  const file = path.join(cwd, DEFAULT_FILE);
  return existsSync(file) ? { path: file, shown: DEFAULT_FILE } : null;
}
