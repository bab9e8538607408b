import { fileURLToPath } from 'node:url';
import { AgentConfig } from '@rostra/protocol/config/agent-config';
import type { LaunchedPackage } from '../discovery/runner-package.ts';
import type { HomeContent } from '../http/routes/home.ts';
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
  help: HomeContent['commands'];
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
  help: [
    ['/help', 'lists what the demo can do'],
    ['/stream N', 'N chunks of text at once'],
    ['/slow N MS', 'N chunks, one every MS milliseconds'],
    ['/fail', 'a run that fails'],
    ['/crash', 'the runner’s process dies after three chunks; the next message works'],
    ['/hang', 'silent until it is cancelled'],
    ['/hang hard', 'ignores the cancel, too'],
    ['/tool', 'a tool call and its result'],
    ['/client-tool NAME JSON', 'a call of a tool that the client brought along (says: not yet)'],
    ['/ui', 'a card, as ui_hints'],
    ['/artifact KB', 'makes a file of that size, and reads it back'],
    ['/state KEY VALUE', 'keeps a value; /state KEY says it in a later turn'],
    ['/history [WORDS]', 'what was said before, or what was said about WORDS'],
    ['/handover AGENT REASON', 'asks you whether another agent shall go on; the answer goes to /api/v1/interactions'],
    ['/ask', 'asks you something, and waits for the answer in /api/v1/interactions'],
  ],
};
