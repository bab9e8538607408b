import type { ChangedSettings, SettingChanges, SettingItem } from '@rostra/protocol/run-api/setting';
import { ApiError } from '@rostra/protocol/wire/api-error';
import { isChangeable } from '../config/setting-registry.ts';
import type { SettingDesk } from '../http/routes/management.ts';
import type { Principal } from '../session/session-gateway.ts';
import { type AdminTrail, tellAct } from './admin-act.ts';
import { settingRows } from './config-view.ts';
import type { LiveConfig } from './live-config.ts';
import { needsRestart } from './reload.ts';

export interface SettingDeskOptions extends AdminTrail {
  readonly live: LiveConfig;
  /** Lets new runs and sessions see what changed. */
  readonly apply: () => Promise<void>;
}

/** Settings as people see and change them while the host runs. */
export class ManagedSettings implements SettingDesk {
  readonly #options: SettingDeskOptions;

  constructor(options: SettingDeskOptions) {
    this.#options = options;
  }

  list(): SettingItem[] {
    const { live } = this.#options;
    return settingRows(live.current).map((row) => ({
      ...row,
      isChangeable: isChangeable(row.key) && !live.settings.isNamed(row.key),
    }));
  }

  async change({ set, reset }: SettingChanges, by: Principal): Promise<ChangedSettings> {
    const { live, apply, now } = this.#options;
    const values = Object.entries(set);
    for (const [name, value] of values) live.settings.check(name, value);
    for (const name of reset) this.#checkReset(name);
    const change = { at: now(), by: `user:${by.user_id}` };
    for (const [name, value] of values) await live.settings.put(name, value, change);
    for (const name of reset) await live.settings.remove(name, change);
    await live.refresh(apply);
    const names = [...Object.keys(set), ...reset];
    tellAct(this.#options, by, 'settings.change', null, { keys: names });
    return {
      items: this.list().filter(({ key }) => names.includes(key)),
      needsRestart: names.filter((name) => needsRestart(name.split('.'))),
    };
  }

  #checkReset(name: string): void {
    if (!isChangeable(name)) {
      throw new ApiError('invalid_argument', `${name} cannot be set while the host runs.`, {
        details: { hint: 'GET /api/v1/settings says what can.' },
      });
    }
    this.#options.live.settings.checkRemoval(name);
  }
}
