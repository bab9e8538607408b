import type { StateScope } from '@rostra/protocol/config/agent-config';
import type { Grant } from '../grant/grant.ts';

/** Whose state it is. Two that differ in any part share nothing. */
export interface StateIdentity {
  scope: StateScope;
  workspace_id: string;
  runner_id: string;
  agent_id: string;
  bot_id: string | null;
  /** The scope's own id: of the conversation and thread, of the actor, of the subject; null for runner and binding. */
  scope_id: string | null;
  /** Set for `conversation`: such state goes when the session is deleted. */
  session_id: string | null;
}

/** What is left of an identity when only the agent and the kind of scope count. */
export type StatePlace = Pick<StateIdentity, 'scope' | 'workspace_id' | 'runner_id' | 'agent_id' | 'bot_id'>;

/** Whose state a run means by a scope, from its grant alone; null when its event has no such identity. */
export function stateIdentity(grant: Grant, scope: StateScope): StateIdentity | null {
  const { workspace_id, bot_id, conversation_id, thread_id, actor_id, subject_id } = grant.scope;
  const { runner_id, agent_id } = grant;
  const place = { scope, workspace_id, runner_id, agent_id, bot_id };
  switch (scope) {
    case 'conversation':
      return { ...place, scope_id: JSON.stringify([conversation_id, thread_id]), session_id: conversation_id };
    case 'actor':
      return actor_id === null ? null : { ...place, scope_id: actor_id, session_id: null };
    case 'subject':
      return subject_id === null ? null : { ...place, scope_id: subject_id, session_id: null };
    case 'runner':
    case 'binding':
      return { ...place, scope_id: null, session_id: null };
  }
}
