import path from 'node:path';
import { type AgentConfig, AgentGrants } from '@rostra/protocol/config/agent-config';
import type { AgentMember } from '@rostra/protocol/session/roster';
import { limits } from '@rostra/protocol/wire/limits';
import { agentBindings, defaultRoster, unknownAgents } from '../config/agent-bindings.ts';
import { AgentCatalog } from '../discovery/agent-catalog.ts';
import type { FoundPackages, LaunchedPackage } from '../discovery/runner-package.ts';
import { readSources } from '../discovery/source-reader.ts';
import { SupervisedPool } from '../discovery/supervised-pool.ts';
import { bindingGrants } from '../entries/entry-binding.ts';
import type { Clock } from '../session/clock.ts';
import type { Roster } from '../session/session-manager.ts';
import { assistantOf, foundSentence } from './assistant.ts';
import type { Configuration } from './configuration.ts';
import { demoAgents } from './demo.ts';
import type { HostLog } from './host-log.ts';
import type { DetectedModel } from './model-detection.ts';
import { neededRunners, officialRunner } from './official-runners.ts';
import { programs } from './programs.ts';

/** Agents that were made at run time. */
export type StoredAgents = Readonly<Record<string, AgentConfig>>;

export interface HostAgentsOptions {
  readonly configuration: Configuration;
  readonly stored: StoredAgents;
  readonly clock: Clock;
  readonly log: HostLog;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The model that was found on this machine: it makes an agent of its own. */
  readonly detected?: DetectedModel | null;
}

/** Who can answer on this host: its runners, the agents that they make, and who is in a new session. */
export class HostAgents implements Roster {
  readonly catalog = new AgentCatalog([]);
  readonly runners: SupervisedPool;
  readonly #options: HostAgentsOptions;
  #configuration: Configuration;
  #stored: StoredAgents;
  readonly #told = new Set<string>();

  constructor(options: HostAgentsOptions) {
    this.#options = options;
    this.#configuration = options.configuration;
    this.#stored = options.stored;
    const { data } = options.configuration.settings;
    this.runners = new SupervisedPool({
      find: () => this.#find(),
      folder: path.join(data, 'runners'),
      hidden: [data],
      clock: options.clock,
      log: (entry) => options.log.runner(entry),
      environment: options.environment,
      onChange: () => this.#bind(),
    });
    this.#bind();
  }

  /** Whether agents may come from runners that must say first what they are. */
  get isAwaited(): boolean {
    return this.#configuration.config.runners.length > 0;
  }

  /** Finds and starts the runners. Resolves when all have said what they offer, or when that takes too long. */
  async start(): Promise<void> {
    this.runners.start();
    await this.#settled();
  }

  /** New runs see the change; live ones keep what they have. */
  async apply(configuration: Configuration, stored: StoredAgents): Promise<void> {
    this.#configuration = configuration;
    this.#stored = stored;
    this.runners.reload();
    this.#bind();
    await this.#settled();
  }

  /** Other agents on the same runners. */
  rebind(stored: StoredAgents): void {
    const before = this.#official().length;
    this.#stored = stored;
    // The first agent of a runner that comes with the host has it started.
    if (this.#official().length !== before) this.runners.reload();
    this.#bind();
  }

  get default_agents(): string[] {
    return defaultRoster(this.#configuration.config.session, this.catalog.list());
  }

  find(agent_id: string): AgentMember | undefined {
    const binding = this.catalog.find(agent_id);
    if (binding === null) return undefined;
    const found = this.runners.list().find(({ manifest }) => manifest.id === binding.runner_id);
    // Nobody waits for what we brought along to say what it is.
    const resumable = (found?.manifest.capabilities ?? officialRunner(binding.runner_id))?.resumable ?? false;
    // An agent whose runner never asks for them would let inputs wait for nothing.
    const steering = binding.policy.steering && this.canBeSteered(agent_id);
    return { agent_id, policy: { ...binding.policy, steering, resumable } };
  }

  canBeSteered(agent_id: string): boolean {
    const runner_id = this.catalog.find(agent_id)?.runner_id ?? '';
    const found = this.runners.list().find(({ manifest }) => manifest.id === runner_id);
    return (found?.manifest.capabilities ?? officialRunner(runner_id))?.steering ?? false;
  }

  /** What stands in the way of an answer to a message that names nobody. */
  missing(): string[] {
    const [active] = this.default_agents;
    const binding = active === undefined ? null : this.catalog.find(active);
    if (binding === null) return ['an agent'];
    const found = this.runners.list().find(({ manifest }) => manifest.id === binding.runner_id);
    const carrier = found?.package_name ?? officialRunner(binding.runner_id)?.package.name;
    const status = this.runners.status().find(({ name }) => name === carrier);
    if (status === undefined) return [`the runner ${binding.runner_id} of the agent ${binding.agent_id}`];
    return status.state === 'ready' ? [] : [`the runner package ${status.name}: ${status.reason ?? status.state}`];
  }

  /** How many runner packages are in which state. */
  states(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { enabled, state } of this.runners.status()) {
      if (enabled) counts[state] = (counts[state] ?? 0) + 1;
    }
    return counts;
  }

  #find(): FoundPackages {
    const { config, folder } = this.#configuration;
    const ground = { folder, host_folder: programs.hostFolder, environment: this.#options.environment };
    const { packages, skipped } = readSources(config.runners, ground);
    return { packages: [...packages, ...this.#official()], skipped };
  }

  #official(): LaunchedPackage[] {
    const { config } = this.#configuration;
    const agents = [config.agents, this.#stored, assistantOf(this.#detected)].flatMap((each) => Object.values(each));
    return neededRunners(config.demo, new Set(agents.map(({ runner }) => runner)));
  }

  get #detected(): DetectedModel | null {
    return this.#options.detected ?? null;
  }

  #bind(): void {
    const { config } = this.#configuration;
    const sources = {
      file: config.agents,
      store: this.#stored,
      detected: assistantOf(this.#detected),
      found: this.runners.list(),
      demo: config.demo ? demoAgents(this.#detected === null ? null : foundSentence(this.#detected)) : {},
    };
    this.catalog.replace(agentBindings(sources), bindingGrants(config, AgentGrants.parse({})));
  }

  async #settled(): Promise<void> {
    const { clock } = this.#options;
    const discovered = this.runners.discovered().then(() => this.#tellUnknown());
    if (!this.isAwaited) return;
    let callOff = (): void => undefined;
    const late = new Promise<void>((resolve) => {
      callOff = clock.at(clock.now() + limits.discovery_wait, resolve);
    });
    await Promise.race([discovered, late]);
    callOff();
  }

  /** An agent whose runner is not there is no reason to refuse the start, but it is said, once. */
  #tellUnknown(): void {
    const { session } = this.#configuration.config;
    for (const sentence of unknownAgents(session, this.catalog.list(), this.runners.list())) {
      if (this.#told.has(sentence)) continue;
      this.#told.add(sentence);
      this.#options.log.warn('agent.unknown', { text: sentence });
    }
  }
}
