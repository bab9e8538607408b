import { AgentConfig } from '@rostra/protocol/config/agent-config';
import { demoRunner } from './official-runners.ts';

function agent(name: string, found: string | null): AgentConfig {
  return AgentConfig.parse({ runner: demoRunner.runner_id, config: { name, ...(found !== null && { found }) } });
}

/**
 * The agents that a host has before anybody configures one: they need no key and show what the host does. The first one
 * is active in a new session, unless there are others. `found` is what they say of models on this machine.
 */
export function demoAgents(found: string | null): Readonly<Record<string, AgentConfig>> {
  return { guide: agent('guide', found), scout: agent('scout', found) };
}
