import { COPILOTKIT_PATH } from '@rostra/protocol/run-api/copilotkit';

/** What is asked for at a path that takes AG-UI's own body. */
export type AguiTarget =
  | { readonly kind: 'run'; readonly agent_id: string | null }
  | { readonly kind: 'copilot_run' | 'copilot_connect'; readonly agent_id: string };

export const AGUI_PATH = '/api/v1/agent/agui';

const NAMED = /^\/api\/v1\/agents\/([^/]+)\/agui$/;
const COPILOT = new RegExp(`^${COPILOTKIT_PATH}/agent/([^/]+)/(run|connect)$`);

/** A part of a path as it was meant; one that cannot be read names nobody. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (error) {
    if (error instanceof URIError) return part;
    throw error;
  }
}

/** Null for a path that takes something else. */
export function aguiTarget(path: string): AguiTarget | null {
  if (path === AGUI_PATH) return { kind: 'run', agent_id: null };
  if (!path.endsWith('/agui') && !path.startsWith(COPILOTKIT_PATH)) return null;
  const named = NAMED.exec(path)?.[1];
  if (named !== undefined) return { kind: 'run', agent_id: decoded(named) };
  const [, agent, what] = COPILOT.exec(path) ?? [];
  if (agent === undefined) return null;
  return { kind: what === 'run' ? 'copilot_run' : 'copilot_connect', agent_id: decoded(agent) };
}
