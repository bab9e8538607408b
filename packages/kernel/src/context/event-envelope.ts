import type { AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import type { MessageOf } from '@rostra/protocol/session/message';
import type { JsonObject } from '@rostra/protocol/wire/json';

type UserInput = MessageOf<'USER_INPUT', 'INPUT'>;
type HandoverContext = MessageOf<'CONTROL', 'HANDOVER_CONTEXT'>;
/** The two messages that begin a run: a person's input, and the context that another agent hands over. */
export type RunTrigger = UserInput | HandoverContext;

/** The wire counts seconds. */
function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function eventOf(
  trigger: RunTrigger,
  turn_id: string,
  kind: { event_type: string; source: string; data: JsonObject },
): AgentEventEnvelope['event'] {
  return {
    event_id: turn_id,
    event_type: kind.event_type,
    event_time: seconds(trigger.ts),
    source: kind.source,
    source_event_type: null,
    raw_ref: null,
    data: kind.data,
  };
}

function actorOf(trigger: UserInput): AgentEventEnvelope['actor'] {
  // The session passes the input on in its own name and says whose it was.
  const requested_by = trigger.sender.kind === 'user' ? trigger.sender.id : trigger.requested_by;
  if (requested_by === undefined) return null;
  return { actor_type: 'user', actor_id: requested_by, actor_name: null, metadata: {} };
}

function userInput(trigger: UserInput, turn_id: string): AgentEventEnvelope {
  const { payload } = trigger;
  return {
    event: eventOf(trigger, turn_id, { event_type: 'message.received', source: 'api', data: payload.data }),
    conversation: null,
    actor: actorOf(trigger),
    subject: { subject_type: 'message', subject_id: payload.client_message_id ?? null, data: {} },
    input: payload.input,
    delivery: null,
  };
}

/** What another agent left stands in the event as data; only its own words become the input, and no prose is made. */
function handover(trigger: HandoverContext, turn_id: string): AgentEventEnvelope {
  const { from_agent_id, reason, summary, output } = trigger.payload;
  const data = { from_agent_id, reason, summary, output };
  return {
    event: eventOf(trigger, turn_id, { event_type: 'session.handover', source: 'system', data }),
    conversation: null,
    actor: { actor_type: 'agent', actor_id: from_agent_id, actor_name: null, metadata: {} },
    subject: { subject_type: 'session', subject_id: trigger.session_id, data: {} },
    input: { text: summary !== '' ? summary : reason, contents: [], attachments: [], message_chain: null },
    delivery: null,
  };
}

/** A session's message to an agent as the event that it is (RP-11.2). */
export function envelopeOf(trigger: RunTrigger, turn_id: string): AgentEventEnvelope {
  return trigger.event === 'USER_INPUT' ? userInput(trigger, turn_id) : handover(trigger, turn_id);
}
