import { fileURLToPath } from 'node:url';
import { AgentPolicy } from '@rostra/protocol/session/roster';
import type { AgentBinding } from '../discovery/agent-catalog.ts';
import type { RunnerCommand } from '../discovery/runner-process.ts';
import type { HomeContent } from '../http/routes/home.ts';
import { programs } from './programs.ts';

/** The agents that a host has before anybody configures one: they need no key and show what the host does. */
const RUNNER_ID = 'rostra/demo/default';

function agent(agent_id: string): AgentBinding {
  return { agent_id, runner_id: RUNNER_ID, config: { name: agent_id }, policy: AgentPolicy.parse({}) };
}

export const demo: {
  runner_id: string;
  agents: AgentBinding[];
  command: RunnerCommand;
  help: HomeContent['commands'];
} = {
  runner_id: RUNNER_ID,
  /** The first one is active in a new session. */
  agents: [agent('guide'), agent('scout')],
  command: { command: process.execPath, args: [fileURLToPath(programs.demoRunner)] },
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
    ['/artifact KB', 'a file of that size (says: not yet)'],
    ['/state KEY VALUE', 'remembers a value (says: not yet)'],
    ['/history', 'what was said before (says: not yet)'],
    ['/handover AGENT REASON', 'hands the conversation to another agent (says: not yet)'],
    ['/ask', 'asks for a confirmation (says: not yet)'],
  ],
};
