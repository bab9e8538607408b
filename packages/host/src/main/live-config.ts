import type { HostConfig } from '@rostra/protocol/config/host-config';
import type { SessionSettings } from '@rostra/protocol/session/roster';
import { AgentRegistry } from '../config/agent-registry.ts';
import { SettingRegistry } from '../config/setting-registry.ts';
import type { RegistryStore } from '../store/ports/registry.ts';
import { secretsIn } from './agent-secrets.ts';
import { secretsOf } from './config-view.ts';
import type { Configuration } from './configuration.ts';
import type { StoredAgents } from './host-agents.ts';
import type { HostLog } from './host-log.ts';
import { attemptReload, compareConfigs, type ReloadReport } from './reload.ts';

/** The configuration of a running host: what it began with, what holds now, and how that changes. */
export class LiveConfig {
  /** Agents and settings made at run time, beside those of the file. */
  readonly agents: AgentRegistry;
  readonly settings: SettingRegistry;
  readonly #started: HostConfig;
  readonly #log: HostLog;
  #current: Configuration;
  #stored: StoredAgents = {};
  #last: Promise<unknown> = Promise.resolve();

  private constructor(configuration: Configuration, registry: RegistryStore, log: HostLog) {
    this.#started = configuration.config;
    this.#current = configuration;
    this.#log = log;
    this.agents = new AgentRegistry(registry, () => this.#current.config.agents);
    this.settings = new SettingRegistry(registry, (path) => {
      const { from } = this.#current.originOf(path);
      return from !== 'store' && from !== 'default';
    });
  }

  /** What the store adds is known only now that it is open. */
  static async open(configuration: Configuration, registry: RegistryStore, log: HostLog): Promise<LiveConfig> {
    const live = new LiveConfig(configuration, registry, log);
    await live.#take(configuration);
    return live;
  }

  get current(): Configuration {
    return this.#current;
  }

  get config(): HostConfig {
    return this.#current.config;
  }

  get stored_agents(): StoredAgents {
    return this.#stored;
  }

  /** What a session that is created now begins with. */
  sessionSettings(default_agent_id: string | null): SessionSettings {
    const { auto_invite, timeouts } = this.config.session;
    return { default_agent_id, auto_invite, timeouts };
  }

  /** Reads everything anew. With a mistake in it nothing changes. */
  reload(at: number, apply: () => Promise<void>): Promise<ReloadReport> {
    const next = () =>
      attemptReload(at, async () => {
        const before = this.config;
        await this.#take(await this.#current.again());
        await apply();
        return compareConfigs(this.#started, before, this.config);
      });
    // One after the other: two signals may come at once.
    const report = this.#last.then(next, next);
    this.#last = report;
    return report;
  }

  /** Takes up what was changed at run time; the file is not read for it. */
  refresh(apply: () => Promise<void>): Promise<void> {
    const next = async () => {
      await this.#take(this.#current);
      await apply();
    };
    const refreshed = this.#last.then(next, next);
    this.#last = refreshed;
    return refreshed;
  }

  async #take(configuration: Configuration): Promise<void> {
    const [stored, settings] = await Promise.all([this.agents.stored(), this.settings.list()]);
    this.#current = configuration.withStored(settings);
    this.#stored = stored;
    const made = Object.values(stored).flatMap(({ config }) => secretsIn(config));
    this.#log.conceal(...secretsOf(this.#current), ...made);
    this.#log.setLevel(this.config.log.level);
  }
}
