import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../session/session-gateway.ts';
import type { AguiTarget } from './agui-target.ts';
import { type AguiDeps, postAgui } from './routes/agui.ts';
import { copilotAgent } from './routes/copilotkit.ts';
import { type ConnectDeps, postConnect } from './routes/copilotkit-connect.ts';

/**
 * Where AG-UI clients come in. All that only they need is loaded when the first one comes. What leads from a request to
 * its session and back hands promises on where it can: each that is only waited for costs every run.
 */
export function postTarget(
  deps: AguiDeps & ConnectDeps,
  principal: Principal,
  target: AguiTarget,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  if (target.kind === 'run') return postAgui(deps, principal, target.agent_id, req, res);
  const agent_id = copilotAgent(target.agent_id, deps.status());
  if (target.kind === 'copilot_run') return postAgui(deps, principal, agent_id, req, res);
  return postConnect(deps, principal, req, res);
}
