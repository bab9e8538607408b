import type { LogRecord } from '@rostra/protocol/record/record';
import type { AgentEventContext, AgentEventEnvelope } from '@rostra/protocol/runner/run-context';
import type { Json, JsonObject } from '@rostra/protocol/wire/json';
import { limits } from '@rostra/protocol/wire/limits';
import { utf8Length } from '@rostra/protocol/wire/utf8-length';
import { envelopeOf } from '../context/event-envelope.ts';
import type { EventRow } from './event-row.ts';
import { isTrigger } from './turn-origins.ts';

/** Where the event lies: what its row says of it. */
type Place = Pick<EventRow, 'event_id' | 'event_type' | 'turn_id' | 'thread_id' | 'bot_id'>;

/**
 * An event of the log as runners are told of it: the same envelope every time (RP-7.18). What is large stays where it
 * is: behind `raw_ref`, in an artifact, or in the transcript.
 */
export function toldEvent(record: LogRecord, place: Place, workspace_id: string): AgentEventEnvelope {
  const { turn_id, thread_id, bot_id } = place;
  const envelope = isTrigger(record) ? envelopeOf(record, turn_id ?? record.id) : sessionEvent(record, place);
  const { event, conversation, input } = envelope;
  const isLarge = input !== null && sizeOf(input) > limits.event_inline_bytes;
  return {
    event: { ...event, data: short(event.data) },
    conversation: {
      conversation_id: record.session_id,
      thread_id,
      launcher_type: conversation?.launcher_type ?? null,
      launcher_id: conversation?.launcher_id ?? null,
      bot_id,
      workspace_id,
    },
    actor: envelope.actor,
    subject: envelope.subject === null ? null : { ...envelope.subject, data: short(envelope.subject.data) },
    input: isLarge ? null : input,
    // Where an answer went is the business of the run that gave it.
    delivery: null,
  };
}

function sessionEvent(record: LogRecord, { event_id, event_type, turn_id }: Place): AgentEventEnvelope {
  const event: AgentEventContext = {
    event_id,
    event_type,
    event_time: Math.floor(record.ts / 1000),
    source: 'system',
    source_event_type: null,
    raw_ref: null,
    data: dataOf(record, turn_id),
  };
  return { event, conversation: null, actor: actorOf(record), subject: null, input: null, delivery: null };
}

function actorOf({ event, sender }: LogRecord): AgentEventEnvelope['actor'] {
  if (event !== 'AGENT_OUTPUT') return null;
  return { actor_type: 'agent', actor_id: sender.id, actor_name: null, metadata: {} };
}

/** Of a question only that it was asked and how it ended: what a person filled in is for whoever asked. */
function dataOf(record: LogRecord, turn_id: string | null): JsonObject {
  const said: JsonObject = { turn_id, run_id: record.run_id ?? null };
  if (record.event === 'EVENT' && record.subtype === 'INTERACTION_OPENED') {
    const { interaction_id, purpose, kind } = record.payload;
    return { ...said, interaction_id, purpose, kind };
  }
  if (record.event === 'EVENT' && record.subtype === 'INTERACTION_RESOLVED') {
    const { interaction_id, outcome } = record.payload;
    return { ...said, interaction_id, outcome };
  }
  // A record is JSON: what is absent in its payload is absent here too.
  const payload: JsonObject = JSON.parse(JSON.stringify(record.payload));
  return { ...said, ...payload };
}

function short(data: JsonObject): JsonObject {
  const size = sizeOf(data);
  return size > limits.event_inline_bytes ? { omitted_bytes: size } : data;
}

function sizeOf(value: Json | object): number {
  return utf8Length(JSON.stringify(value));
}
