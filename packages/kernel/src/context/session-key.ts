import type { Grant } from '../grant/grant.ts';

/**
 * Where a runner may keep what belongs together: workspace/bot/binding/runner/conversation/thread (CX-6.2). Each part is
 * escaped, so that two keys are never equal by chance; a part that is missing is a dash.
 */
export function sessionKey({ scope, agent_id, runner_id }: Grant): string {
  const { workspace_id, bot_id, conversation_id, thread_id } = scope;
  const parts = [workspace_id, bot_id, agent_id, runner_id, conversation_id, thread_id];
  return parts.map((part) => (part === null ? '-' : encodeURIComponent(part))).join('/');
}
