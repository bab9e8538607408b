import type { ModelMessage } from '@rostra/protocol/api/models';
import { AgentConfig } from '@rostra/protocol/config/agent-config';
import type { AgentLimits, AgentPrompt } from '@rostra/protocol/config/budget-config';
import type { HostConfig } from '@rostra/protocol/config/host-config';
import { AgentPolicy } from '@rostra/protocol/session/roster';
import { limits } from '@rostra/protocol/wire/limits';
import { type AgentBinding, bindAgent } from '../discovery/agent-catalog.ts';

export interface FoundRunner {
  readonly package_name: string;
  readonly manifest: { readonly id: string; readonly name: string };
}

export interface AgentSources {
  /** By id, in the order in which they were written. */
  readonly file: Readonly<Record<string, AgentConfig>>;
  readonly store: Readonly<Record<string, AgentConfig>>;
  /** The agent of a model that was found on this machine. */
  readonly detected?: Readonly<Record<string, AgentConfig>>;
  /** Every runner that the host has found. */
  readonly found: readonly FoundRunner[];
  readonly demo: Readonly<Record<string, AgentConfig>>;
}

/**
 * The agents of the host, the strongest first: those of the file, those made at run time, the assistant of a model that
 * was found, a runner that none of them names as an agent of its own, and the demo's. An id that is taken stays with whoever had it first.
 */
export function agentBindings({ file, store, detected = {}, found, demo }: AgentSources): AgentBinding[] {
  const bindings = new Map<string, AgentBinding>();
  const add = (agent_id: string, config: AgentConfig, source: AgentBinding['source']) => {
    if (!bindings.has(agent_id)) bindings.set(agent_id, bindingOf(agent_id, config, source));
  };
  for (const [id, config] of Object.entries(file)) add(id, config, 'file');
  for (const [id, config] of Object.entries(store)) add(id, config, 'store');
  for (const [id, config] of Object.entries(detected)) add(id, config, 'detected');
  const named = new Set([...bindings.values(), ...Object.values(demo)].map(runnerOf));
  for (const { package_name, manifest } of found.filter(({ manifest: { id } }) => !named.has(id))) {
    const id = bindings.has(manifest.name) ? `${package_name}.${manifest.name}` : manifest.name;
    add(id.slice(0, limits.agent_id_chars), AgentConfig.parse({ runner: manifest.id }), 'found');
  }
  for (const [id, config] of Object.entries(demo)) add(id, config, 'demo');
  return [...bindings.values()];
}

function runnerOf(agent: AgentBinding | AgentConfig): string {
  return 'runner' in agent ? agent.runner : agent.runner_id;
}

function bindingOf(agent_id: string, config: AgentConfig, source: AgentBinding['source']): AgentBinding {
  const { runner, policy, prompt, ...rest } = config;
  const { limits: amounts, actions, tools, disconnect_grace } = policy;
  return bindAgent({
    agent_id,
    runner_id: runner,
    ...rest,
    policy: AgentPolicy.parse(policy),
    ...(isLimited(amounts) && { limits: amounts }),
    ...(Object.keys(actions).length > 0 && { actions }),
    ...(Object.keys(tools).length > 0 && { tools }),
    ...(disconnect_grace !== undefined && { disconnect_grace }),
    ...(prompt !== undefined && { prompt: messagesOf(prompt) }),
    source,
  });
}

function isLimited({ run, day }: AgentLimits): boolean {
  return [...Object.values(run), ...Object.values(day)].some((amount) => amount !== undefined);
}

function messagesOf(prompt: AgentPrompt): ModelMessage[] {
  return typeof prompt === 'string' ? [{ role: 'system', content: prompt }] : prompt;
}

/** Who is in a session that asks for nobody in particular, the one that answers first at the front. */
export function defaultRoster({ agents, active }: HostConfig['session'], bindings: readonly AgentBinding[]): string[] {
  const known = bindings.map(({ agent_id }) => agent_id);
  const roster = agents === null ? known : agents.filter((id) => known.includes(id));
  const first = active === null ? roster.slice(0, 1) : known.filter((id) => id === active);
  return [...first, ...roster.filter((id) => !first.includes(id))].slice(0, limits.roster);
}

/** What the configuration asks for and the host does not have: one sentence each. */
export function unknownAgents(
  { agents, active }: HostConfig['session'],
  bindings: readonly AgentBinding[],
  found: readonly FoundRunner[],
): string[] {
  const known = new Set(bindings.map(({ agent_id }) => agent_id));
  const runners = new Set(found.map(({ manifest }) => manifest.id));
  const asked = new Set([...(agents ?? []), ...(active === null ? [] : [active])]);
  return [
    ...[...asked]
      .filter((id) => !known.has(id))
      .map((id) => `There is no agent ${JSON.stringify(id)}, which the session's defaults name.`),
    ...bindings
      .filter(({ runner_id, source }) => source !== 'demo' && source !== 'detected' && !runners.has(runner_id))
      .map(
        ({ agent_id, runner_id }) =>
          `The agent ${JSON.stringify(agent_id)} needs the runner ${JSON.stringify(runner_id)}, which no package offers; its runs fail.`,
      ),
  ];
}
