import { checkHostConfig } from '@rostra/protocol/config/config-problem';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isJsonObject, type Json } from '@rostra/protocol/wire/json';
import type { RegistryChange, RegistryRow, RegistryStore } from '../store/ports/registry.ts';
import { valueAt, withValue } from './config-tree.ts';

export const SETTING_KIND = 'setting';
/** What can change while the host runs. Where it listens and whom it knows is not among them. */
const changeable = /^(?:(?:session|limits|retention)\.|log\.level$|demo$)/;

export function isChangeable(name: string): boolean {
  return changeable.test(name);
}

/** Settings made at run time, by their dotted paths. What a file, a variable or an option names wins and stays. */
export class SettingRegistry {
  readonly #store: RegistryStore;
  readonly #isNamed: (path: readonly string[]) => boolean;

  constructor(store: RegistryStore, isNamed: (path: readonly string[]) => boolean) {
    this.#store = store;
    this.#isNamed = isNamed;
  }

  /** Those that are valid in this version. */
  async list(): Promise<Map<string, Json>> {
    return validSettings(await this.#store.list(SETTING_KIND));
  }

  /** Throws what `put` would refuse it with. */
  check(name: string, value: Json): void {
    this.checkRemoval(name);
    const problem = problemWith(name, value);
    if (problem !== null) {
      throw new ApiError('invalid_argument', `${name} ${problem}.`, {
        details: { hint: 'docs/configuration.md lists every key and what it takes.' },
      });
    }
  }

  /** Throws what `remove` would refuse it with. */
  checkRemoval(name: string): void {
    if (!this.isNamed(name)) return;
    const message = `${name} is set by the configuration file, a variable or an option, and can only be changed there.`;
    throw new ApiError('invalid_argument', message, {
      details: { hint: 'Change it there and run `rostra reload`; `rostra config show` says where it comes from.' },
    });
  }

  async put(name: string, value: Json, change: RegistryChange): Promise<void> {
    this.check(name, value);
    await this.#store.put(SETTING_KIND, name, value, change);
  }

  /** Whether a file, a variable or an option names it. */
  isNamed(name: string): boolean {
    return this.#isNamed(name.split('.'));
  }

  /** Back to its default; whether it was set. */
  async remove(name: string, change: RegistryChange): Promise<boolean> {
    this.checkRemoval(name);
    return this.#store.delete(SETTING_KIND, name, change);
  }
}

/** Settings by name, without those that an older version wrote and this one does not know. */
export function validSettings(rows: readonly RegistryRow[]): Map<string, Json> {
  return new Map(
    rows.filter(({ key, value }) => problemWith(key, value) === null).map(({ key, value }) => [key, value]),
  );
}

/** What is wrong with a setting, or null. */
function problemWith(name: string, value: Json): string | null {
  const path = name.split('.');
  if (!isChangeable(name)) return 'cannot be set while the host runs';
  const checked = checkHostConfig(withValue({}, path, value));
  if ('problems' in checked) {
    const [problem] = checked.problems;
    return problem?.must ?? 'is not a key of the configuration';
  }
  // A section as a whole would hide which of its keys were meant.
  return isJsonObject(valueAt(checked.config, path)) ? 'is a section; set its keys' : null;
}
