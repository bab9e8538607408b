import type { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import type { GrantScope } from '../grant/grant.ts';
import { type RunTrigger, requesterOf } from './event-envelope.ts';

/** Who acts in an event and what it is about, as scopes compare them: never shown to anybody. */
export type EventIdentities = Pick<GrantScope, 'actor_id' | 'subject_id'>;

/** A platform names its own people only: another one's of the same name is somebody else. */
export function actorIdentity(trigger: RunTrigger, { actor, event }: AgentEventEnvelope): string | null {
  const actor_id = actor?.actor_id ?? null;
  if (actor_id === null) return null;
  if (trigger.event !== 'USER_INPUT') return JSON.stringify(['agent', event.source, actor_id]);
  // Whom the host itself knows needs nobody's word.
  return actor_id === requesterOf(trigger) ? actor_id : JSON.stringify([event.source, actor_id]);
}

/** Messages are named within their conversation, by whoever sends them. */
function subjectIdentity({ session_id }: RunTrigger, { subject, event }: AgentEventEnvelope): string | null {
  const { subject_type = '', subject_id = null } = subject ?? {};
  if (subject_id === null) return null;
  const within = subject_type === 'message' ? session_id : null;
  return JSON.stringify([event.source, subject_type, subject_id, within]);
}

export function identitiesOf(trigger: RunTrigger, envelope: AgentEventEnvelope): EventIdentities {
  return { actor_id: actorIdentity(trigger, envelope), subject_id: subjectIdentity(trigger, envelope) };
}
