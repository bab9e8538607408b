import { type ConfigPath, checkHostConfig } from '@rostra/protocol/config/config-problem';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { type Json, JsonObject } from '@rostra/protocol/wire/json';
import { z } from 'zod';
import type { RegistryChange, RegistryRow, RegistryStore } from '../store/ports/registry.ts';
import { pathText } from './config-error.ts';
import { withValue } from './config-tree.ts';
import { SealedSecrets, type SecretBox } from './secret-box.ts';
import { type SecretParts, secretTexts, splitSecrets } from './secret-parts.ts';

/** One kind of thing that is described in the file or at run time, with secrets among what describes it. */
export interface SealedKind<Config> {
  /** Of its rows. */
  readonly kind: string;
  /** Its section of the configuration. */
  readonly section: ConfigPath;
  readonly parts: SecretParts;
  /** How many may be made at run time. */
  readonly most: number;
  entriesOf(config: HostConfig): Readonly<Record<string, Config>>;
  /** What is wrong beyond the schema, at which key; null when nothing is. */
  fault(config: Config): { readonly key: string; readonly must: string } | null;
}

/** One that was made at run time. */
export interface StoredEntry<Config> {
  readonly id: string;
  readonly config: Config;
  /** As it was written, without the defaults. */
  readonly given: JsonObject;
  readonly revision: number;
  /** Why its secrets cannot be read; they are not in `config` then, and it must not be used without them. */
  readonly locked: ApiError | null;
}

export interface RegistryGround {
  readonly store: RegistryStore;
  readonly box: SecretBox;
  /** What holds now: what the file names wins. */
  readonly config: () => HostConfig;
}

const Row = z.object({ config: JsonObject, sealed: SealedSecrets.nullable() });

/**
 * What was made at run time, beside what the file names. Secrets are opened in memory only; in the store they are
 * sealed for their row and for the address that they are sent to.
 */
export class SealedRegistry<Config> {
  readonly what: SealedKind<Config>;
  readonly #ground: RegistryGround;
  #entries: readonly StoredEntry<Config>[] = [];

  constructor(what: SealedKind<Config>, ground: RegistryGround) {
    this.what = what;
    this.#ground = ground;
  }

  /** Reads all of them anew. */
  async refresh(): Promise<void> {
    const rows = await this.#ground.store.list(this.what.kind);
    this.#entries = rows.flatMap((row) => this.#entryOf(row) ?? []);
  }

  /** As of the last refresh, without those that the file names by now. */
  get entries(): readonly StoredEntry<Config>[] {
    const named = this.named;
    return this.#entries.filter(({ id }) => !Object.hasOwn(named, id));
  }

  /** Those of the file. */
  get named(): Readonly<Record<string, Config>> {
    return this.what.entriesOf(this.#ground.config());
  }

  /** Those that can be used, with their secrets. */
  get opened(): Readonly<Record<string, Config>> {
    const usable = this.entries.filter(({ locked }) => locked === null);
    return Object.fromEntries(usable.map(({ id, config }) => [id, config]));
  }

  /** The same, read anew. */
  async stored(): Promise<Readonly<Record<string, Config>>> {
    await this.refresh();
    return this.opened;
  }

  /** Every text that must not be in a log. */
  get secrets(): string[] {
    return this.#entries.flatMap(({ given }) => secretTexts(given, this.what.parts));
  }

  async put(id: string, given: JsonObject, change: RegistryChange): Promise<void> {
    const { kind, most, parts } = this.what;
    this.#check(id, given);
    const isNew = !this.#entries.some((entry) => entry.id === id);
    if (isNew && this.#entries.length >= most) {
      throw new ApiError('invalid_argument', `There are ${most} already, and no more can be made.`, {
        details: { hint: 'Delete some that are not needed.' },
      });
    }
    const { open, secret } = splitSecrets(given, parts);
    const sealed = Object.keys(secret).length === 0 ? null : this.#ground.box.seal(secret, this.#placeOf(id, open));
    // As it was given, not as it was read: defaults may change, and then they should change for it, too.
    await this.#ground.store.put(kind, id, { config: open, sealed }, change);
    await this.refresh();
  }

  /** Whether there was one. */
  async remove(id: string, change: RegistryChange): Promise<boolean> {
    const wasThere = await this.#ground.store.delete(this.what.kind, id, change);
    await this.refresh();
    return wasThere;
  }

  #entryOf({ key: id, value, revision }: RegistryRow): StoredEntry<Config> | null {
    const row = Row.safeParse(value);
    // What an older version wrote and this one cannot read is left out, not lost: the row stays.
    if (!row.success) return null;
    const { config: open, sealed } = row.data;
    const opened = sealed === null ? {} : this.#opened(sealed, id, open);
    const locked = opened instanceof ApiError ? opened : null;
    const given = opened instanceof ApiError ? open : { ...open, ...opened };
    const config = this.#parsed(id, given);
    return 'problem' in config ? null : { id, config: config.config, given, revision, locked };
  }

  #opened(sealed: SealedSecrets, id: string, open: JsonObject): JsonObject | ApiError {
    try {
      return this.#ground.box.open(sealed, this.#placeOf(id, open));
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  }

  #placeOf(id: string, open: JsonObject): [string, string, string] {
    return [this.what.kind, id, this.what.parts.placeOf(open)];
  }

  #check(id: string, given: JsonObject): void {
    const parsed = this.#parsed(id, given);
    const fault = 'problem' in parsed ? parsed.problem : this.what.fault(parsed.config);
    if (fault === null) return;
    const at = fault.key === '' ? 'config' : `config.${fault.key}`;
    throw new ApiError('invalid_argument', `${at} ${fault.must}.`, {
      details: { in: 'body', path: at, hint: 'docs/configuration.md says what belongs there.' },
    });
  }

  /** As the file would be read; what is wrong never repeats a value. */
  #parsed(id: string, given: Json): { config: Config } | { problem: { key: string; must: string } } {
    const { section, entriesOf } = this.what;
    const checked = checkHostConfig(withValue({}, [...section, id], given));
    if ('problems' in checked) {
      const [problem] = checked.problems;
      const key = pathText(problem?.path.slice(section.length + 1) ?? []);
      return { problem: { key, must: problem?.must ?? 'is not a key of the configuration' } };
    }
    const entries = entriesOf(checked.config);
    const config = Object.hasOwn(entries, id) ? entries[id] : undefined;
    return config === undefined ? { problem: { key: '', must: 'cannot have this id' } } : { config };
  }
}
