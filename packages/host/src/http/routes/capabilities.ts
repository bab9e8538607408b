import type { AgentCapabilities } from '@rostra/protocol/run-api/capabilities';
import { aguiOperations } from '@rostra/protocol/run-api/operations/agui';
import { type ApiRoute, route } from '../api-route.ts';
import type { HostStatus } from '../ports.ts';
import { checkAgent } from './runs.ts';

/** What holds for every agent of this host, whatever runs it. */
function capabilitiesOf({ version, agents }: HostStatus, agentId: string | undefined): AgentCapabilities {
  const name = agentId ?? agents[0] ?? 'none';
  return {
    identity: { name, type: 'agent', version, provider: 'rostra' },
    transport: { streaming: true, websocket: true, httpBinary: false, pushNotifications: false, resumable: true },
    tools: { supported: true, clientProvided: true, parallelCalls: true },
    output: { structuredOutput: false, supportedMimeTypes: ['text/plain', 'text/markdown'] },
    state: { snapshots: false, deltas: true, memory: true, persistentState: true },
    multiAgent: {
      supported: true,
      delegation: true,
      handoffs: true,
      subagents: agents.filter((agent) => agent !== name).map((agent) => ({ name: agent })),
    },
    reasoning: { supported: true, streaming: true, encrypted: false },
    multimodal: {
      input: { image: true, audio: false, video: false, pdf: false, file: false },
      output: { image: false, audio: false },
    },
    humanInTheLoop: {
      supported: true,
      approvals: true,
      interventions: true,
      feedback: false,
      interrupts: true,
      approveWithEdits: false,
    },
  };
}

/** `GET /api/v1/agent/capabilities` (RA-10.2). */
export function capabilityRoutes({ status }: { status(): HostStatus }): ApiRoute[] {
  return [
    route(aguiOperations.getCapabilities, async ({ query: { agentId } }) => {
      const now = status();
      if (agentId !== undefined) checkAgent(agentId, now.agents);
      return { status: 200, body: capabilitiesOf(now, agentId) };
    }),
  ];
}
