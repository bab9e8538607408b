import { type AgentEventEnvelope, type AgentTrigger, DeliveryContext } from '@rostra/protocol/runner/run-context';
import { messageReceived } from '@rostra/protocol/session/event-name';
import type { TurnEvent } from '@rostra/protocol/session/input';
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
  kind: { event_type: string; source: string; raw_ref: AgentEventEnvelope['event']['raw_ref']; data: JsonObject },
): AgentEventEnvelope['event'] {
  return {
    event_id: turn_id,
    event_type: kind.event_type,
    event_time: seconds(trigger.ts),
    source: kind.source,
    source_event_type: null,
    raw_ref: kind.raw_ref,
    data: kind.data,
  };
}

/** The session passes the input on in its own name and says whose it was. */
export function requesterOf({ sender, requested_by }: UserInput): string | undefined {
  return sender.kind === 'user' ? sender.id : requested_by;
}

function actorOf(trigger: UserInput): AgentEventEnvelope['actor'] {
  const requested_by = requesterOf(trigger);
  if (requested_by === undefined) return null;
  return { actor_type: 'user', actor_id: requested_by, actor_name: null, metadata: {} };
}

/** The client's tools are resources of the run, where it is granted them, and no part of the event (RA-9.28). */
function withoutTools(data: JsonObject): JsonObject {
  if (data.tools === undefined) return data;
  const { tools: _tools, ...rest } = data;
  return rest;
}

function userInput(trigger: UserInput, turn_id: string): AgentEventEnvelope {
  const { payload } = trigger;
  const { raw_ref = null } = payload;
  const data = withoutTools(payload.data);
  return {
    event: eventOf(trigger, turn_id, { event_type: messageReceived, source: 'api', raw_ref, data }),
    conversation: null,
    actor: actorOf(trigger),
    subject: { subject_type: 'message', subject_id: payload.client_message_id ?? null, data: {} },
    input: payload.input,
    delivery: null,
  };
}

function conversationOf({ conversation }: TurnEvent): AgentEventEnvelope['conversation'] {
  // Which conversation and workspace it is, the session knows, whatever the platform calls them.
  return conversation === null ? null : { ...conversation, conversation_id: null, workspace_id: null };
}

/** An event as it was told. What is no message becomes nobody's words, whatever it carries: only its files are kept. */
function turnEvent(trigger: UserInput, event: TurnEvent): AgentEventEnvelope {
  const { payload } = trigger;
  const isMessage = event.event_type === messageReceived;
  const { attachments } = payload.input;
  return {
    event: {
      event_id: event.event_id,
      event_type: event.event_type,
      event_time: event.event_time ?? seconds(trigger.ts),
      source: event.source,
      source_event_type: event.source_event_type,
      raw_ref: event.raw_ref,
      data: event.data,
    },
    conversation: conversationOf(event),
    actor: event.actor ?? (isMessage ? actorOf(trigger) : null),
    subject: event.subject ?? (isMessage ? { subject_type: 'message', subject_id: event.event_id, data: {} } : null),
    input: isMessage ? payload.input : { text: null, contents: [], attachments, message_chain: null },
    delivery: event.delivery === null ? null : (DeliveryContext.safeParse(event.delivery).data ?? null),
  };
}

const nowhere = { conversation_id: null, workspace_id: null, launcher_type: null, launcher_id: null };

/** What another agent left stands in the event as data; only its own words become the input, and no prose is made. */
function handover(trigger: HandoverContext, turn_id: string): AgentEventEnvelope {
  const { from_agent_id, reason, summary, output, conversation } = trigger.payload;
  const data = { from_agent_id, reason, summary, output };
  return {
    event: eventOf(trigger, turn_id, { event_type: 'session.handover', source: 'system', raw_ref: null, data }),
    conversation: conversation === undefined ? null : { ...nowhere, ...conversation },
    actor: { actor_type: 'agent', actor_id: from_agent_id, actor_name: null, metadata: {} },
    subject: { subject_type: 'session', subject_id: trigger.session_id, data: {} },
    input: { text: summary !== '' ? summary : reason, contents: [], attachments: [], message_chain: null },
    delivery: null,
  };
}

/** A session's message to an agent as the event that it is (RP-11.2). */
export function envelopeOf(trigger: RunTrigger, turn_id: string): AgentEventEnvelope {
  if (trigger.event !== 'USER_INPUT') return handover(trigger, turn_id);
  const { event } = trigger.payload;
  return event === undefined ? userInput(trigger, turn_id) : turnEvent(trigger, event);
}

/** What a run is told of its entry beside the event itself. */
export interface RunEntry {
  readonly source: AgentTrigger['source'];
  readonly adapter: JsonObject | null;
}

/** How the event of a run came in; null for what the host itself makes of a message. */
export function entryOf(trigger: RunTrigger): RunEntry | null {
  const event = trigger.event === 'USER_INPUT' ? trigger.payload.event : undefined;
  return event === undefined ? null : { source: event.trigger_source, adapter: event.adapter };
}

/** The binding whose grant holds for the run; null where that of the agent alone does. */
export function bindingIdOf(trigger: RunTrigger): string | null {
  const from = trigger.event === 'USER_INPUT' ? trigger.payload.event : trigger.payload;
  return from?.binding_id ?? null;
}
