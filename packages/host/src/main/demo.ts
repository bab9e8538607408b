import { fileURLToPath } from 'node:url';
import { AgentConfig } from '@rostra/protocol/config/agent-config';
import type { LaunchedPackage } from '../discovery/runner-package.ts';
import { programs } from './programs.ts';

/** The agents that a host has before anybody configures one: they need no key and show what the host does. */
const RUNNER_ID = 'rostra/demo/default';

function agent(name: string): AgentConfig {
  return AgentConfig.parse({ runner: RUNNER_ID, config: { name } });
}

export const demo: {
  agents: Readonly<Record<string, AgentConfig>>;
  package: LaunchedPackage;
  /** What its manifest says, for those who ask before it is up. */
  is_resumable: boolean;
} = {
  /** The first one is active in a new session, unless there are others. */
  agents: { guide: agent('guide'), scout: agent('scout') },
  package: {
    name: 'demo',
    origin: 'official',
    source: 'part of the host',
    enabled: true,
    processes: 'shared',
    isolation: 'trusted',
    command: { command: process.execPath, args: [fileURLToPath(programs.demoRunner)] },
    folders: [],
  },
  is_resumable: true,
};
