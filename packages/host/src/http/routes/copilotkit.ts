import { COPILOTKIT_DEFAULT, type CopilotKitInfo } from '@rostra/protocol/run-api/copilotkit';
import { aguiOperations } from '@rostra/protocol/run-api/operations/agui';
import { noSuchThread, type SessionGateway } from '../../session/session-gateway.ts';
import { sessionIdOf } from '../../session/session-id.ts';
import { type ApiRoute, route } from '../api-route.ts';
import type { HostStatus } from '../ports.ts';
import { checkAgent } from './runs.ts';

interface CopilotDeps {
  readonly gateway: Pick<SessionGateway, 'reach' | 'cancelTurn'>;
  status(): HostStatus;
}

/** The agent that a path means; null: whoever the thread has. */
export function copilotAgent(agent_id: string, { agents }: HostStatus): string | null {
  if (agent_id === COPILOTKIT_DEFAULT && !agents.includes(agent_id)) return null;
  checkAgent(agent_id, agents);
  return agent_id;
}

function infoOf({ version, agents }: HostStatus): CopilotKitInfo {
  const about = (name: string, description: string) => ({ name, description, className: 'HttpAgent' });
  const listed: CopilotKitInfo['agents'] = {
    [COPILOTKIT_DEFAULT]: about(COPILOTKIT_DEFAULT, 'The agent that the thread has.'),
  };
  for (const agent of agents) listed[agent] = about(agent, '');
  return { version, agents: listed, audioFileTranscriptionEnabled: false };
}

/** What a CopilotKit frontend asks of its runtime beside runs. */
export function copilotRoutes({ gateway, status }: CopilotDeps): ApiRoute[] {
  return [
    route(aguiOperations.copilotInfo, async () => ({ status: 200, body: infoOf(status()) })),
    route(aguiOperations.copilotStop, async ({ params, principal }) => {
      copilotAgent(params.agentId, status());
      const driver = await gateway.reach(sessionIdOf(params.threadId), principal);
      if (driver === null) throw noSuchThread();
      const { session_id } = driver;
      const live = Object.keys(driver.context.inflight);
      for (const turn_id of live) await gateway.cancelTurn({ session_id, turn_id }, principal);
      const message = live.length === 0 ? 'nothing goes on in this thread' : 'the thread was stopped';
      return { status: 200, body: { message } };
    }),
  ];
}
