import type { ArtifactFact, Place, RunFact } from '../world/facts.ts';

/** The very conversation of the run: nothing of another bot or thread, and a missing one is not any. */
export function isOwnConversation({ place }: RunFact, other: Place): boolean {
  return (
    other.workspace_id === place.workspace_id &&
    other.conversation_id === place.conversation_id &&
    other.bot_id === place.bot_id &&
    other.thread_id === place.thread_id
  );
}

/** What the run may look into beyond its own conversation, as its grant says and its identities allow. */
export function isWithinReach(run: RunFact, other: Place): boolean {
  if (isOwnConversation(run, other)) return true;
  if (other.workspace_id !== run.place.workspace_id) return false;
  const { bot_id, actor_id } = run.place;
  switch (run.grant.resources.history.scope ?? 'conversation') {
    case 'conversation':
      return false;
    case 'workspace':
      return true;
    case 'bot':
      return bot_id !== null && other.bot_id === bot_id;
    case 'actor':
      return actor_id !== null && other.actor_id === actor_id;
  }
}

/** CX-4.11: an artifact belongs to a conversation, to an agent, or to one run. */
export function mayRead(run: RunFact, artifact: ArtifactFact, at: number): boolean {
  if (artifact.expires_at !== null && artifact.expires_at <= at) return false;
  if (artifact.workspace_id !== run.place.workspace_id) return false;
  if (artifact.visibility === 'conversation') return isOwnConversation(run, artifact.place);
  return artifact.visibility === 'agent' ? artifact.agent_id === run.agent_id : artifact.run_id === run.run_id;
}
